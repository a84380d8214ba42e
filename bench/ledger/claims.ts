import { atLeast, type BenchContext, median, type Row } from '../report.ts'
import type { Ground } from './ground.ts'
import { ourRate, rawRate, rawRateOnJobs } from './rate.ts'

const rounds = 5
const goal = 0.7

/** Claims a second against the raw loop, round by round in turn, because the machine is noisy. */
export async function claimRows(ground: Ground, { quick, say }: BenchContext): Promise<Row[]> {
  const claims = quick ? 200 : 1_500
  const rows: Row[] = []
  for (const connections of [1, 8, 16]) {
    const [bench, plain] = [await ground.database(), await ground.database()]
    const raw: number[] = []
    const onJobs: number[] = []
    const ours: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      raw.push(await rawRate(bench.url, claims, connections))
      onJobs.push(await rawRateOnJobs(plain.url, claims, connections))
      ours.push(await ourRate(bench, claims, connections, 20))
    }
    await Promise.all([bench.close(), plain.close()])
    say(
      `claims at ${connections}: raw ${raw.map(Math.round).join(' ')}, ours ${ours.map(Math.round).join(' ')}`,
    )
    rows.push(
      atLeast(`claims at ${connections} connection(s)`, 'claims/s', median(ours), median(raw), goal),
      atLeast(
        `… against the raw loop on the ledger's own table`,
        'claims/s',
        median(ours),
        median(onJobs),
        null,
      ),
    )
  }
  return rows
}
