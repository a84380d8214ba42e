import { isSame } from '../json.ts'
import type { Problem } from '../problem.ts'
import type { Check, Checked } from './check.ts'

/** Fields that keep the value that we give them, and why. */
const fixed = {
  restartPolicy:
    'Remove it: a runner that is started again would use its configuration twice and hide its end.',
  automountServiceAccountToken:
    'Remove it, and where a job needs the cluster, project a token with an audience into the container that uses it.',
  enableServiceLinks: 'Remove it: a job has no use for the addresses of all services of the namespace.',
  terminationGracePeriodSeconds: "Remove it, and say it as the pool's own stop grace.",
} as const satisfies Partial<Record<keyof Checked['bare']['spec'], string>>

/** Fields that a runner's pod does not have, and why. */
const absent: Readonly<Record<string, string>> = {
  hostPID: 'Remove it: jobs would see the processes of all pods of the node, and could read their tokens.',
  shareProcessNamespace: "Remove it: another container could read the poller's token out of its process.",
  activeDeadlineSeconds: 'Remove it: it counts while a runner waits, and ends one in the middle of its job.',
  nodeName: 'Remove it, and use nodeSelector or affinity: otherwise a runner cannot avoid a node that fails.',
  ephemeralContainers: 'Remove it: Kubernetes takes them only for pods that run.',
  serviceAccount: 'Write serviceAccountName.',
}

/** The fields that would change when a runner starts or ends, or what it can see. */
export const checkPodSpec: Check = (checked) => [
  ...fixedProblems(checked),
  ...absentProblems(checked),
  ...runtimeProblems(checked),
  ...systemProblems(checked),
  ...accountProblems(checked),
]

function fixedProblems({ bare, merged }: Checked): Problem[] {
  return (Object.keys(fixed) as (keyof typeof fixed)[])
    .filter((field) => !isSame(merged.spec[field], bare.spec[field]))
    .map((field) => ({
      at: `spec.${field}`,
      expected: JSON.stringify(bare.spec[field]),
      got: merged.spec[field],
      todo: fixed[field],
    }))
}

function absentProblems({ merged }: Checked): Problem[] {
  return Object.entries(absent)
    .filter(([field]) => merged.spec[field] !== undefined && merged.spec[field] !== false)
    .map(([field, todo]) => ({ at: `spec.${field}`, expected: `no ${field}`, got: merged.spec[field], todo }))
}

function runtimeProblems({ plan: { runtimeClass }, merged }: Checked): Problem[] {
  const got = merged.spec.runtimeClassName
  if (runtimeClass === null || got === runtimeClass) return []
  const todo = "Say it in one place: remove it here, or the pool's own runtime class."
  return [{ at: 'spec.runtimeClassName', expected: JSON.stringify(runtimeClass), got, todo }]
}

function systemProblems({ merged }: Checked): Problem[] {
  const { os } = merged.spec
  if (os === undefined || isSame(os, { name: 'linux' })) return []
  return [
    {
      at: 'spec.os',
      expected: '{"name":"linux"}',
      got: os,
      todo: 'Remove it: the shapes need a POSIX shell.',
    },
  ]
}

/** With such an account the poller's token would be as good as an agent's, or as ours. */
function accountProblems({ reservedAccounts, merged }: Checked): Problem[] {
  const got = merged.spec.serviceAccountName
  if (typeof got !== 'string' || !reservedAccounts.includes(got)) return []
  const todo = "Remove it: this account is Holdfast's own, and no runner has it."
  return [{ at: 'spec.serviceAccountName', expected: "an account that is not Holdfast's", got, todo }]
}
