import type { AuditReport } from '../../src/api/index.ts'
import { nodeName } from '../cluster/index.ts'
import type { Program } from './audit.ts'
import { failAfter } from './failing-api.ts'
import type { Ground } from './ground.ts'
import { type Auditor, makeAuditor } from './rights.ts'

interface Given {
  readonly ground: Ground
  readonly program: Program
  readonly auditor: Auditor
  /** With all rights, of the whole fleet. */
  readonly report: AuditReport
  /** Saved at the same time. */
  readonly snapshotFile: string
  /** For accounts with less rights. */
  readonly namespace: string
  readonly folder: string
}

/** Something that must hold besides the findings; gives what does not. */
export interface Check {
  readonly name: string
  problem(given: Given): Promise<string | null>
}

export const checks: readonly Check[] = [
  {
    name: 'a snapshot in a file is judged as the fleet is',
    async problem({ program, report, snapshotFile }) {
      return differenceOf(keysOf(report), keysOf(await program.auditFile(snapshotFile)))
    },
  },
  withoutRights('all', ['list pods', 'list nodes', 'list ephemeralrunners']),
  withoutRights(['pods'], ['list pods']),
  withoutRights(['ephemeralrunners'], ['list ephemeralrunners']),
  withoutRights(['pods/log'], ['get pods/log']),
  withoutRights(['nodes/proxy'], ['get nodes/proxy']),
  withoutRights(['secrets'], ['list secrets']),
  {
    name: "the kubelets' own statistics and settings are read through the API server",
    async problem({ report, ground }) {
      const { nodes } = await ground.cluster.parts.state()
      const rows = report.tables.filter(({ audit }) => audit === 'imagefs').flatMap((table) => table.rows)
      const unread = Array.from({ length: nodes }, (_, index) => nodeName(index + 1)).filter(
        (node) => !rows.some((cells) => cells.includes(node)),
      )
      return unread.length === 0 ? null : `no figures of ${unread.join(', ')} in ${JSON.stringify(rows)}`
    },
  },
  ...[0, 100_000].map(
    (bytes): Check => ({
      name: `where the API server goes away after ${bytes} bytes nothing wrong is found, and it is reported`,
      async problem({ program, auditor, report }) {
        const failing = await failAfter(bytes, auditor.kubeconfig)
        const seen = await program.audit(failing.kubeconfig).catch(String)
        await failing[Symbol.asyncDispose]()
        if (typeof seen === 'string') return seen.includes('E_CLUSTER_') ? null : seen
        const unread = seen.unjudged.length > report.unjudged.length
        return bolderIn(seen, report) ?? (unread ? null : 'nothing is unjudged by it')
      },
    }),
  ),
]

/** Less rights leave less judged; they never make a finding that is not there with all of them, or a bolder one. */
function withoutRights(without: readonly string[] | 'all', needed: readonly string[]): Check {
  const words = without === 'all' ? 'no rights at all' : `no right for ${without.join(', ')}`
  return {
    name: `with ${words} nothing wrong is found, and the rights that are missing are named`,
    async problem({ ground, program, auditor, report, namespace, folder }) {
      const word = without === 'all' ? 'nobody' : without.join('-').replaceAll('/', '-')
      const less = await makeAuditor(ground.cluster, { word, namespace, folder, without })
      const seen = await program.audit(less.kubeconfig).finally(less[Symbol.asyncDispose])
      const bolder = bolderIn(seen, report)
      // Some findings come with age: they must be there with all rights too, by now.
      const still = bolder && bolderIn(seen, await program.audit(auditor.kubeconfig))
      if (still !== null) return still
      const unjudged = JSON.stringify(seen.unjudged)
      const unnamed = needed.filter((right) => !unjudged.includes(right))
      if (unnamed.length > 0) return `not named: ${unnamed.join(', ')}; it says ${unjudged.slice(0, 1_000)}`
      const code = seen.findings.length > 0 ? 1 : 2
      return seen.code === code ? null : `exit code ${seen.code}, expected ${code}`
    },
  }
}

/** Findings that another report has not, or not as certain; null where there are none. */
function bolderIn(seen: AuditReport, than: AuditReport): string | null {
  const known = keysOf(than)
  const bolder = [...keysOf(seen)].filter((key) => !known.has(key))
  return bolder.length === 0 ? null : `found with less to judge by: ${bolder.join('; ')}`
}

/** Findings by class, subject and certainty. */
function keysOf({ findings }: Pick<AuditReport, 'findings'>): Set<string> {
  return new Set(
    findings.flatMap(({ class: name, subject, confidence }) => {
      const key = `${name} of ${subject.kind} ${subject.namespace ?? ''}/${subject.name}`
      return confidence === 'proven' ? [key, `${key}, proven`] : [key]
    }),
  )
}

function differenceOf(a: ReadonlySet<string>, b: ReadonlySet<string>): string | null {
  const only = [
    ...[...a].filter((key) => !b.has(key)).map((key) => `only of the fleet: ${key}`),
    ...[...b].filter((key) => !a.has(key)).map((key) => `only of the file: ${key}`),
  ]
  return only.length === 0 ? null : only.join('; ')
}
