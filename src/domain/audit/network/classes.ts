import { type DeathClass, deathRules } from '../../death/index.ts'
import type { FindingClass } from '../audit.ts'

/** Ends that the cluster itself explains, whatever became of the job. */
export const clusterEnds = [
  'evicted-disk',
  'evicted-ephemeral-storage',
  'evicted-inodes',
  'evicted-memory',
  'evicted-pid',
  'evicted',
  'preempted',
  'node-drained',
  'node-lost',
] as const satisfies readonly DeathClass[]

/** Ends that are worth a finding only where the forge lost a job by them: idle runners are deleted all day. */
export const jobEnds = [
  'deleted',
  'terminated',
  'sigkill-unknown',
  'completion-handshake',
  'network-discontinuity',
  'forge-gave-up',
] as const satisfies readonly DeathClass[]

const always = [
  'Lost communication is often no failure of the build: read the end of the runner first.',
  "Space on storage nodes is not the kubelet's own disk.",
]

/** Classes of lost runners have the names and texts of the classes of ends. */
export const networkClasses: readonly FindingClass[] = [...clusterEnds, ...jobEnds, 'vanished' as const].map(
  endClass,
)

export const vanished = endClass('vanished')

function endClass(name: DeathClass): FindingClass {
  const rules = deathRules.filter(({ gives }) => gives.includes(name))
  return {
    name,
    entry: 'E8',
    title: (rules[0]?.means ?? name).replace(/\.$/, ''),
    mustNotConclude: [
      ...always,
      ...new Set(rules.map(({ mustNotConclude }) => `Not to be concluded: ${mustNotConclude}`)),
    ],
    page: 'network.md',
  }
}
