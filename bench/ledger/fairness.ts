import { atLeast, type BenchContext, median, type Row } from '../report.ts'
import type { Ground } from './ground.ts'
import { ourRate } from './rate.ts'

const rounds = 3
const callers = 8

/** The cost of fair share and caps: many repositories with caps against one repository without. */
export async function fairnessRows(ground: Ground, { quick, say }: BenchContext): Promise<Row[]> {
  const claims = quick ? 200 : 1_000
  const rateOf = async (repositories: number, capPerRepository: number | null) => {
    const rates: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const fairness = { weights: {}, capPerRepository, capPerOwner: null, ageingMs: 3_600_000 }
      const bench = await ground.database({ fairness })
      rates.push(await ourRate(bench, claims, callers, repositories))
      await bench.close()
    }
    return median(rates)
  }
  const plain = await rateOf(1, null)
  const shared = await rateOf(200, null)
  const capped = await rateOf(200, claims)
  say(
    `fairness: one repository ${Math.round(plain)}, 200 ${Math.round(shared)}, with caps ${Math.round(capped)} claims/s`,
  )
  return [
    atLeast('200 repositories against one', 'claims/s', shared, plain, null),
    atLeast('200 repositories with caps against one without', 'claims/s', capped, plain, null),
  ]
}
