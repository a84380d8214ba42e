import { classifyDeath, type DeathFacts } from '../../src/domain/death/index.ts'
import type { BenchContext, Row } from '../report.ts'
import { hundredDeaths } from './mix.ts'

/** On one core: a year of ten thousand a day is judged again within minutes. */
const goalPerSecond = 20_000
const quickRecords = 10_000
const allRecords = 100_000

/** Judges stored records, compared with only parsing them from their stored form. */
export async function classifyRows({ quick, say }: BenchContext): Promise<Row[]> {
  const records = quick ? quickRecords : allRecords
  const stored = hundredDeaths.flatMap(([count, facts]) => Array<string>(count).fill(JSON.stringify(facts)))
  const bytes = stored.reduce((sum, text) => sum + text.length, 0) / stored.length
  say(`${records} records, ${(bytes / 1024).toFixed(1)} KiB on average`)
  const seen = new Map<string, number>()
  const judge = ({ ending, ...known }: DeathFacts) => {
    const verdict = classifyDeath(ending, known)
    seen.set(verdict.class, (seen.get(verdict.class) ?? 0) + 1)
  }
  // The code is warm and the parts alternate: neither is measured on what the other left behind alone.
  for (const text of stored) judge(JSON.parse(text))
  const read = stored.map((text) => JSON.parse(text) as DeathFacts)
  const parsing = perSecond(records, (index) => JSON.parse(stored[index % stored.length] as string))
  const judging = perSecond(records, (index) => judge(read[index % read.length] as DeathFacts))
  const both = perSecond(records, (index) => judge(JSON.parse(stored[index % stored.length] as string)))
  say([...seen.keys()].join(', '))
  return [
    row('deaths classified, read from their stored form', both, parsing),
    row('deaths classified, in memory', judging, parsing),
  ]
}

function row(metric: string, value: number, baseline: number): Row {
  const goal = `> ${goalPerSecond} a second`
  return { metric, value, unit: '/s', baseline, ratio: value / baseline, goal, met: value > goalPerSecond }
}

/** By the processor time of this process: others on the machine do not count, its own collector of garbage does. */
function perSecond(times: number, act: (index: number) => void): number {
  const before = process.cpuUsage()
  for (let index = 0; index < times; index += 1) act(index)
  const { user, system } = process.cpuUsage(before)
  return (times * 1_000_000) / (user + system)
}
