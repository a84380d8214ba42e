import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { reasonOf } from '../../src/domain/reason.ts'
import { buildBinaries } from '../cluster/binaries/build.ts'
import { openWorld, type World } from '../cluster/fleet/world.ts'
import { prepareMachine } from '../cluster/machine/needs.ts'
import { endAbandoned, endSuite } from '../cluster/testing/names.ts'
import { type CrowdResult, crowdLines, crowdName, crowdNodes, runCrowd } from './crowd/index.ts'
import type { DeathKind } from './kind.ts'
import { podKinds, processKinds } from './kinds/index.ts'
import { deathLedger } from './ledger.ts'
import { type MachineStage, openMachine } from './machine.ts'
import { isPassed, matrixPage, type Result, resultLine, summarise, summaryLines } from './report.ts'
import { type Ground, runKinds } from './run-kinds.ts'
import { holdfastOf, type OneHoldfast, type PodStage, podStage } from './stage.ts'

/*
 * `npm run test:deaths`: runners really die, in every way that is known, as pods of a real cluster and as processes of
 * this machine; each must have exactly one record, of the right class. Then 500 of them die at once.
 *   -- --only <words of names>   -- --write (docs/deaths-matrix.md)   -- --records <folder> (each record, as JSON)
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
    records: { type: 'string' },
  },
})
const podsAtOnce = 4
const nodesAtOnce = 3
const matrixFile = fileURLToPath(new URL('../../docs/deaths-matrix.md', import.meta.url))
const say = (line: string): void => console.log(line)
const began = performance.now()

const wanted = (kind: { readonly name: string }) =>
  values.only === undefined || values.only.split(/[ ,]/).some((word) => kind.name.includes(word))
const pods = podKinds.filter(wanted)
const processes = processKinds.filter(wanted)
const failures: string[] = []
const opened: AsyncDisposable[] = []
let results: Result[] = []
let crowd: CrowdResult | null = null
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.allSettled(opened.map((each) => each[Symbol.asyncDispose]()))
    await endSuite(`${process.pid}`)
    process.exit(130)
  })
}
try {
  await prepareMachine(say)
  await buildBinaries(say)
  await endAbandoned(say)
  const [onMachine, onCluster] = await Promise.all([asProcesses(), asPods()])
  results = [...onCluster, ...onMachine]
} catch (error) {
  failures.push(`the run itself failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
} finally {
  await endSuite(`${process.pid}`)
}
report()
if (values.records !== undefined) await keepRecords(values.records)
if (values.write && results.length > 0) await writeFile(matrixFile, matrixPage(results, crowd))
process.exitCode = failures.length === 0 && results.every(isPassed) ? 0 : 1

async function asProcesses(): Promise<Result[]> {
  if (processes.length === 0) return []
  const world = await openMachine(processes)
  opened.push(world)
  try {
    const ground: Ground<MachineStage> = {
      where: 'process',
      ledger: world.ledger,
      prepare: async ({ name }) => world.stage(name),
      clear: async () => {},
    }
    const found = await runKinds(processes, ground, 1, printResult)
    await allRecorded(ground.ledger)
    return found
  } finally {
    await world[Symbol.asyncDispose]()
  }
}

async function asPods(): Promise<Result[]> {
  const isCrowdWanted = wanted({ name: crowdName })
  if (pods.length === 0 && !isCrowdWanted) return []
  const world = await openWorld('dying', { nodes: 3, kwokNodes: isCrowdWanted ? crowdNodes : 0 })
  opened.push(world)
  try {
    say(`the cluster is up after ${seconds()}`)
    const holdfast = holdfastOf(world)
    await holdfast.start()
    const ground = podGround(world, holdfast)
    const of = (when: DeathKind<PodStage>['when']) =>
      pods.filter((kind) => (kind.when ?? 'together') === when)
    const found = await runKinds(of('together'), ground, podsAtOnce, printResult)
    found.push(...(await runKinds(of('nodes'), ground, nodesAtOnce, printResult)))
    found.push(...(await runKinds(of('alone'), ground, 1, printResult)))
    if (isCrowdWanted) await asCrowd(world, holdfast)
    await allRecorded(ground.ledger)
    return pods.flatMap(({ name }) => found.filter(({ kind }) => kind.name === name))
  } finally {
    await world[Symbol.asyncDispose]()
  }
}

/** A failure here takes nothing from the results before it. */
async function asCrowd(world: World, holdfast: OneHoldfast): Promise<void> {
  try {
    crowd = await runCrowd(world, holdfast.pid, say)
  } catch (error) {
    failures.push(`${crowdName}: ${reasonOf(error)}`)
  }
}

function podGround(world: World, holdfast: OneHoldfast): Ground<PodStage> {
  return {
    where: 'pod',
    ledger: deathLedger(world.rows),
    async prepare(kind) {
      const stage = podStage(world, kind.name, holdfast)
      await world.pool(kind.name, {
        maxRunners: 1,
        idleTimeoutSeconds: 2,
        stopGraceSeconds: 4,
        provisioning: { startDeadlineSeconds: 60 },
        ...kind.pool?.(stage),
      })
      return stage
    },
    clear: ({ name }) => world.removePool(name),
  }
}

/** Also of the runners that were none of the kinds', such as those that took the place of one that did not start. */
async function allRecorded(ledger: Ground<never>['ledger']): Promise<void> {
  const without = await ledger.unrecorded()
  if (without.length > 0) failures.push(`ended, and have not exactly one record: ${without.join(', ')}`)
}

function printResult(result: Result): void {
  say(resultLine(result))
}

function report(): void {
  const summary = summarise(results)
  say('')
  for (const result of results) if (!isPassed(result)) say(resultLine(result))
  for (const line of summaryLines(summary)) say(line)
  for (const line of crowd === null ? [] : crowdLines(crowd)) say(line)
  failures.push(...(crowd?.problems ?? []))
  for (const what of failures) say(`VIOLATION: ${what}`)
  say(`in ${seconds()}`)
  const failed = results.length - summary.passed + failures.length
  const crowdPassed = crowd?.problems.length === 0 ? 1 : 0
  say(`${summary.passed + crowdPassed} passed, ${failed} failed`)
}

async function keepRecords(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { kind, found } of results) {
    await writeFile(path.join(folder, `${kind.name}.json`), JSON.stringify(found, null, 2))
  }
}

function seconds(): string {
  return `${Math.round((performance.now() - began) / 1000)} s`
}
