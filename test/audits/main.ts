import { parseArgs } from 'node:util'
import { buildBinaries } from '../cluster/binaries/build.ts'
import { prepareMachine } from '../cluster/machine/needs.ts'
import { endAbandoned, endSuite } from '../cluster/testing/names.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { openGround } from './ground.ts'
import { isPassed, type Result, type Row, tableLines } from './report.ts'
import { runRounds } from './rounds.ts'

/*
 * `npm run test:audits`: situations are really made on a real Kubernetes, and judged by the program with exactly the
 * rights of deploy/audit-rbac.yaml. First a healthy fleet, in which nothing may be found; then trouble next to it.
 *   -- --only <words of names>
 */
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const wordsMax = 2_000
const began = performance.now()
const say = (line: string): void => console.log(line)
const passed = (line: string): void => say(`${line}, after ${seconds()}`)
const isWanted = ({ name }: { readonly name: string }) =>
  values.only === undefined || values.only.split(/[ ,]/).some((word) => name.includes(word))

const rows: Row[] = []
const results: Result[] = []
const opened: AsyncDisposable[] = []
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().finally(() => process.exit(130)))
try {
  await prepareMachine(say)
  await buildBinaries(say)
  await endAbandoned(say)
  const folder = await temporaryFolder('holdfast-audits-')
  opened.push(folder)
  const ground = await openGround(folder.path, say)
  opened.push(ground)
  passed('the cluster is there')
  await runRounds({ ground, folder: folder.path, isWanted, rows, results, say: passed })
} catch (error) {
  results.push({ name: 'the run itself', problem: error instanceof Error ? `${error.stack}` : `${error}` })
}
await end().catch((error: unknown) => results.push({ name: 'the end of the run', problem: `${error}` }))
report()

async function end(): Promise<void> {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]()
  await endSuite(`${process.pid}`)
}

function report(): void {
  say('')
  for (const line of rows.length === 0 ? [] : tableLines(rows)) say(line)
  for (const { situation, problem } of rows) {
    if (problem !== null) say(`not made: ${situation.name} (${situation.how}): ${problem.slice(0, wordsMax)}`)
  }
  say('')
  for (const { name, problem } of results) {
    say(problem === null ? `ok   ${name}` : `FAIL ${name}: ${problem.slice(0, wordsMax)}`)
  }
  const good = rows.filter(isPassed).length + results.filter(({ problem }) => problem === null).length
  const bad = rows.length + results.length - good
  say(`in ${seconds()}`)
  say(`${good} passed, ${bad} failed`)
  process.exitCode = bad === 0 ? 0 : 1
}

function seconds(): string {
  return `${Math.round((performance.now() - began) / 1000)} s`
}
