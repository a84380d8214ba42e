import { runnerUserOf } from '../build/user.ts'
import { type JsonMap, mapOf, mapsOf } from '../json.ts'
import { containers } from '../names.ts'
import type { Problem } from '../problem.ts'
import type { Check, Checked } from './check.ts'

/** As whom containers run: what the kubelet would refuse later, and what would keep the runner from its job. */
export const checkUsers: Check = (checked) => [...unknownUser(checked), ...rootProblems(checked)]

function unknownUser({ plan, merged: { spec } }: Checked): Problem[] {
  if (plan.shape !== 'isolated' || runnerUserOf(spec).uid !== null) return []
  const todo =
    "Write the number of the image's user: the poller runs as the same one, so that its file can be read."
  return [{ at: 'spec.securityContext.runAsUser', expected: 'a number', got: null, todo }]
}

function rootProblems({ merged: { spec } }: Checked): Problem[] {
  const pod = mapOf(spec.securityContext)
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    mapsOf(spec[list])
      .filter(({ name }) => name !== containers.check) // it is as the runner is
      .filter((container) => isRefusedRoot(mapOf(container.securityContext), pod))
      .map(({ name }) => ({
        at: `spec.${list}["${name}"].securityContext`,
        expected: 'runAsNonRoot: false where runAsUser is 0',
        got: { runAsUser: 0, runAsNonRoot: true },
        todo:
          name === containers.runner
            ? 'Say both, if jobs have to be root; otherwise name the user of the image.'
            : 'Say both, or name another user.',
      })),
  )
}

function isRefusedRoot(own: JsonMap, pod: JsonMap): boolean {
  return (own.runAsUser ?? pod.runAsUser) === 0 && (own.runAsNonRoot ?? pod.runAsNonRoot) === true
}
