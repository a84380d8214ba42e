import { parseArgs } from 'node:util'
import { buildBinaries } from '../cluster/binaries/build.ts'
import { prepareMachine } from '../cluster/machine/needs.ts'
import { endAbandoned, endSuite } from '../cluster/testing/names.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { appCases } from './app-cases.ts'
import { applyCases, longApplyCases } from './apply-cases.ts'
import { arcCases } from './arc-cases.ts'
import { type Bench, type Case, cases as reapCases } from './cases.ts'
import { fixCases } from './fix-cases.ts'
import { blockerCases, longGateCases } from './gate-cases.ts'
import { gitlabCases } from './gitlab-cases.ts'
import { openGround } from './ground.ts'
import { leaderCases } from './leader-cases.ts'
import { probeCases } from './probe-cases.ts'
import { secretCases } from './secret-cases.ts'
import { finalizeRunners, openForge } from './stand-ins.ts'

/*
 * `npm run test:remedies`: `holdfast reap`, `fix` and the reaper of `up` as processes, with exactly the rights of deploy/, on a real API
 * server. ARC's objects are those that its real controller wrote; its finalizer, its pods' kubelet and GitHub are stand-ins.
 *   --only <words>   the cases that have these words in their names
 *   --long           every case; without it the true case of each remedy, and of `reap` and `apply` what may happen meanwhile
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, long: { type: 'boolean', default: false } },
})
const short = {
  ...reapCases,
  ...fixCases,
  ...blockerCases,
  ...applyCases,
  ...secretCases,
  ...appCases,
  ...arcCases,
  ...probeCases,
  ...gitlabCases,
  ...leaderCases,
}
const cases = chosen({ ...short, ...(values.long && { ...longGateCases, ...longApplyCases }) })
const say = (line: string): void => console.log(line)
const opened: AsyncDisposable[] = []
const problems: (string | null)[] = []

try {
  await prepareMachine(say)
  await buildBinaries(say)
  await endAbandoned(say)
  const folder = await temporaryFolder('holdfast-remedies-')
  opened.push(folder)
  const ground = await openGround(folder.path, say)
  opened.push(ground)
  const forge = await openForge()
  opened.push(forge, finalizeRunners(ground.cluster, forge))
  for (const name of Object.keys(cases)) await judge(name, { ground, forge, folder: folder.path, say })
} catch (error) {
  problems.push(`the run itself: ${error instanceof Error ? error.stack : error}`)
}
for (const each of opened.reverse()) await each[Symbol.asyncDispose]()
await endSuite(`${process.pid}`)
const failed = problems.filter((problem) => problem !== null)
for (const problem of failed) say(`FAIL ${problem}`)
say(`${problems.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1

async function judge(name: string, bench: Bench): Promise<void> {
  const began = performance.now()
  const took = () => `${((performance.now() - began) / 1_000).toFixed(1).padStart(5)} s`
  try {
    await cases[name]?.(bench)
    problems.push(null)
    say(`ok   ${took()}  ${name}`)
  } catch (error) {
    problems.push(`${name}: ${error instanceof Error ? error.stack : error}`)
    say(`FAIL ${took()}  ${name}`)
  }
}

function chosen(all: Readonly<Record<string, Case>>): Readonly<Record<string, Case>> {
  const { only = '', long } = values
  const isChosen = (name: string) =>
    name.includes(only) && (long || only !== '' || !/after the plan/.test(name))
  return Object.fromEntries(Object.entries(all).filter(([name]) => isChosen(name)))
}
