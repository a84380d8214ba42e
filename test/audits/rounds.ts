import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { reasonOf } from '../../src/domain/reason.ts'
import { atOnce } from './at-once.ts'
import { type Audited, type Program, programIn } from './audit.ts'
import { checks } from './checks.ts'
import type { Ground } from './ground.ts'
import { nodeSituations, nodeTrouble } from './node-trouble.ts'
import { isAbout, type Result, type Row, rowOf } from './report.ts'
import { makeAuditor } from './rights.ts'
import type { Situation } from './situation.ts'
import { brokenSituations, healthySituations } from './situations/index.ts'

/** Most of a situation's time is waiting for the cluster. */
const madeAtOnce = 8
const checksAtOnce = 3

export interface RoundsOrder {
  readonly ground: Ground
  readonly folder: string
  isWanted(named: { readonly name: string }): boolean
  /** Both are added to: the findings of each situation, and the rest that must hold. */
  readonly rows: Row[]
  readonly results: Result[]
  readonly say: (line: string) => void
}

/** Judges the healthy fleet, then the same with trouble next to it; then what must hold besides. */
export async function runRounds(order: RoundsOrder): Promise<void> {
  const { ground, folder, isWanted, rows, results, say } = order
  const { namespace } = await ground.stage({ name: 'rights' })
  const auditor = await makeAuditor(ground.cluster, { word: 'whole', namespace, folder })
  const program = programIn(folder, ground.parts.forge)
  const healthy = healthySituations.filter(isWanted)
  const broken = brokenSituations.filter(isWanted)
  const problems = new Map<string, string>()
  try {
    await makeAll(healthy, problems, order)
    const before = await program.audit(auditor.kubeconfig)
    results.push({ name: 'in a healthy fleet nothing is found', problem: strayIn(before, []) })
    say(`the healthy fleet is judged, with exit code ${before.code}`)
    await ground.closeNodes()
    await makeAll(broken, problems, order)
    const { report, snapshotFile } = await judgedAndSaved(program, auditor.kubeconfig, folder)
    say(`the fleet in trouble is judged: ${report.findings.length} findings`)
    const all = [...healthy, ...broken]
    for (const situation of all) {
      const row = rowOf(situation, ground.namespaceOf(situation), report.findings)
      rows.push({ ...row, problem: problems.get(situation.name) ?? null })
    }
    const stray = strayIn(report, all.map(ground.namespaceOf))
    results.push({ name: 'nothing is found elsewhere', problem: stray })
    const given = { ground, program, auditor, report, snapshotFile, namespace, folder }
    await Promise.all([
      troubledNode(order),
      atOnce(checksAtOnce, checks.filter(isWanted), async (check) => {
        results.push({ name: check.name, problem: await check.problem(given).catch(reasonOf) })
        say(`checked: ${check.name}`)
      }),
    ])
  } finally {
    await auditor[Symbol.asyncDispose]()
  }
}

/** Makes situations, some at a time; notes why some could not be made. */
async function makeAll(
  situations: readonly Situation[],
  problems: Map<string, string>,
  { ground, say }: RoundsOrder,
): Promise<void> {
  await atOnce(madeAtOnce, situations, async (situation) => {
    try {
      await situation.make(await ground.stage(situation))
    } catch (error) {
      problems.set(situation.name, reasonOf(error))
    }
  })
  say(`${situations.length} situations are made`)
}

/** At the same time, since some findings come and go with the age of things. */
async function judgedAndSaved(
  program: Program,
  kubeconfig: string,
  folder: string,
): Promise<{ readonly report: Audited; readonly snapshotFile: string }> {
  const snapshotFile = path.join(folder, 'fleet.snapshot.gz')
  const [report, saved] = await Promise.all([
    program.audit(kubeconfig),
    program.save(kubeconfig, snapshotFile),
  ])
  if (saved.code !== 0) throw new Error(`holdfast snapshot save ended with ${saved.code}: ${saved.err}`)
  return { report, snapshotFile }
}

/** Findings about none of these namespaces, and audits that broke. */
function strayIn({ findings, failures }: Audited, namespaces: readonly string[]): string | null {
  const stray = findings.filter((each) => !namespaces.some((namespace) => isAbout(each, namespace)))
  const words = [
    ...stray.map((each) => `${each.class} of ${each.subject.kind} ${each.subject.name}: ${each.summary}`),
    ...failures.map(({ audit, why }) => `the audit ${audit} broke: ${why}`),
  ]
  return words.length === 0 ? null : words.join('; ')
}

async function troubledNode({ ground, folder, isWanted, rows, say }: RoundsOrder): Promise<void> {
  const situations = nodeSituations.filter(isWanted)
  if (situations.length === 0) return
  const home = path.join(folder, 'node')
  await mkdir(home)
  try {
    rows.push(...(await nodeTrouble(home, ground.parts)))
  } catch (error) {
    const unmade = { found: [], missed: [], falseAlarms: [], problem: reasonOf(error) }
    rows.push(...situations.map((situation) => ({ situation, ...unmade })))
  }
  say('a node of its own has evicted')
}
