import { atLeast, type BenchContext, median, type Row } from '../report.ts'
import { fillHistory, fillQueue, withClient } from './fill.ts'
import type { Ground } from './ground.ts'
import { ourRate } from './rate.ts'

const rounds = 5
const callers = 8
const goal = 0.9
const queued = 10_000

/** Claims a second with a long history, against an empty one; both with ten thousand jobs in the queue. */
export async function historyRows(ground: Ground, { quick, say }: BenchContext): Promise<Row[]> {
  const history = quick ? 20_000 : 1_000_000
  const claims = quick ? 200 : 1_000
  const [empty, full] = [await ground.database(), await ground.database()]
  say(`filling ${history.toLocaleString('en')} finished jobs …`)
  await withClient(full.url, (client) => fillHistory(client, history))
  for (const { url } of [empty, full]) await withClient(url, (client) => fillQueue(client, queued, 50))
  const rates: { empty: number[]; full: number[] } = { empty: [], full: [] }
  for (let round = 0; round < rounds; round += 1) {
    rates.empty.push(await ourRate(empty, claims, callers, 50))
    rates.full.push(await ourRate(full, claims, callers, 50))
  }
  await Promise.all([empty.close(), full.close()])
  say(`history: empty ${rates.empty.map(Math.round).join(' ')}, full ${rates.full.map(Math.round).join(' ')}`)
  const metric = `claims with ${history.toLocaleString('en')} finished and ${queued.toLocaleString('en')} queued jobs`
  return [atLeast(metric, 'claims/s', median(rates.full), median(rates.empty), goal)]
}
