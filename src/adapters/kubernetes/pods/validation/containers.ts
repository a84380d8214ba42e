import { isSame, type JsonMap, mapsOf } from '../json.ts'
import { containers, envPrefix, volumes } from '../names.ts'
import type { Problem } from '../problem.ts'
import type { Check, Checked } from './check.ts'

/** Beyond this a pod is no runner with helpers any more. */
const containersMax = 16

/** All that a template may say of the poller. */
const ofPoller = ['resources', 'imagePullPolicy', 'env', 'volumeMounts']
/** Of its variables and mounts, what it takes to reach Holdfast through a proxy or with a CA of one's own. */
const pollerVariables = /^((https?|no|all)_proxy|ssl_cert_(file|dir)|curl_ca_bundle|tz)$/i
const pollerFolders =
  /^\/(etc\/ssl|etc\/pki|usr\/local\/share\/ca-certificates|mnt)(\/(?!\.\.?(\/|$))[^/]+)*\/?$/
/** The fields of the runner that a template may not set. */
const notOfRunner: Readonly<Record<string, string>> = {
  image: "Remove it, and say it as the pool's own image.",
  command:
    "Remove it, and say it as the pool's own command: it is started by way of the job's configuration.",
  args: "Remove it, and say it as part of the pool's own command.",
  restartPolicy:
    'Remove it: a runner that is started again would use its configuration twice and hide its end.',
  restartPolicyRules: 'Remove it: a runner is never started again.',
  livenessProbe: 'Remove it: the kubelet would end a job whose machine is merely slow.',
  startupProbe: 'Remove it: the kubelet would end a job whose machine is merely slow.',
}
const secret = [volumes.token as string, volumes.jit as string]

/** The containers of the pod; the two on which the guarantees rest must be unchanged. */
export const checkContainers: Check = (checked) => [
  ...membershipProblems(checked),
  ...reservedNameProblems(checked),
  ...pollerProblems(checked),
  ...runnerProblems(checked),
  ...mountProblems(checked),
]

function membershipProblems({ plan, merged: { spec } }: Checked): Problem[] {
  const [main, init] = [mapsOf(spec.containers), mapsOf(spec.initContainers)]
  const names = main.map(({ name }) => name)
  const pollers = init.filter(({ name }) => name === containers.poller)
  const problems: Problem[] = []
  if (!isSame(names, [containers.runner])) {
    const todo =
      'Do not remove or rename it. A helper belongs into initContainers with restartPolicy: Always, because a container ' +
      'next to the runner would keep the pod alive after its job.'
    problems.push({
      at: 'spec.containers',
      expected: `only the container "${containers.runner}"`,
      got: names,
      todo,
    })
  }
  if (pollers.length !== (plan.shape === 'isolated' ? 1 : 0)) {
    const isIsolated = plan.shape === 'isolated'
    const todo = isIsolated ? 'Do not remove or rename it.' : 'Give the container another name.'
    const expected = `${isIsolated ? 'one' : 'no'} container "${containers.poller}"`
    problems.push({ at: 'spec.initContainers', expected, got: init.map(({ name }) => name), todo })
  }
  const count = main.length + init.length
  if (count > containersMax) {
    const todo = 'Put what belongs together into one container.'
    problems.push({
      at: 'spec',
      expected: `at most ${containersMax} containers, ours included`,
      got: count,
      todo,
    })
  }
  return problems
}

/** The check is made after the template was merged, so that nothing of the template is in it but the runner's. */
function reservedNameProblems({ template: { spec } }: Checked): Problem[] {
  return mapsOf(spec.initContainers).flatMap(({ name }, index) =>
    name === containers.check
      ? [
          {
            at: `spec.initContainers[${index}].name`,
            expected: `another name than "${containers.check}"`,
            got: name,
            todo: 'Give it another name: this container is made by Holdfast, as the runner is.',
          },
        ]
      : [],
  )
}

function pollerProblems({ bare, merged }: Checked): Problem[] {
  const [before, after] = [bare.spec, merged.spec].map((spec) =>
    named(spec.initContainers, containers.poller),
  )
  if (before === undefined || after === undefined) return []
  const at = `spec.initContainers["${containers.poller}"]`
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...fields]
    .filter((field) => !ofPoller.includes(field) && !isSame(before[field], after[field]))
    .map((field) => ({
      at: `${at}.${field}`,
      expected: `only ${ofPoller.join(', ')} of the poller`,
      got: after[field],
      todo: 'Remove it: the poller holds the token that proves which runner asks.',
    }))
    .concat(keptProblems(at, before, after), pollerExtras(at, before, after))
}

function pollerExtras(at: string, before: JsonMap, after: JsonMap): Problem[] {
  const added = (field: string): readonly JsonMap[] =>
    mapsOf(after[field]).filter((one) => !mapsOf(before[field]).some((mine) => isSame(one, mine)))
  const todo = 'Remove it: the poller holds the token that proves which runner asks.'
  const variables = added('env').filter(({ name }) => !pollerVariables.test(String(name)))
  const mounts = added('volumeMounts').filter(({ mountPath }) => !pollerFolders.test(String(mountPath)))
  return [
    ...variables.map(({ name }) => ({
      at: `${at}.env`,
      expected: 'only variables for a proxy, a CA or a zone',
      got: name,
      todo,
    })),
    ...mounts.map((got) => ({
      at: `${at}.volumeMounts`,
      got,
      todo,
      expected: 'only mounts in /etc/ssl, /etc/pki, /usr/local/share/ca-certificates or /mnt',
    })),
  ]
}

function runnerProblems({ bare, merged }: Checked): Problem[] {
  const [before, after] = [bare.spec, merged.spec].map((spec) => named(spec.containers, containers.runner))
  if (before === undefined || after === undefined) return []
  const at = `spec.containers["${containers.runner}"]`
  return Object.entries(notOfRunner)
    .filter(([field]) => !isSame(before[field], after[field]))
    .map(([field, todo]) => ({
      at: `${at}.${field}`,
      expected: before[field] === undefined ? `no ${field}` : JSON.stringify(before[field]),
      got: after[field],
      todo,
    }))
    .concat(keptProblems(at, before, after))
}

/** Our variables and mounts are still there as we made them, and no other variable looks like ours. */
function keptProblems(at: string, before: JsonMap, after: JsonMap): Problem[] {
  const problems: Problem[] = []
  for (const field of ['env', 'volumeMounts']) {
    const [ours, all] = [mapsOf(before[field]), mapsOf(after[field])]
    for (const mine of ours) {
      if (all.some((one) => isSame(one, mine))) continue
      const todo = 'Remove what the template says of it: the poller and the runner meet there.'
      problems.push({ at: `${at}.${field}`, expected: JSON.stringify(mine), got: all, todo })
    }
    const reserved = all.filter((one) => isReserved(one) && !ours.some((mine) => isSame(one, mine)))
    for (const got of reserved) {
      const expected = `no variable ${envPrefix}… and no mount of ${secret.join(' or ')} but ours`
      problems.push({ at: `${at}.${field}`, expected, got, todo: 'Remove it, or give it another name.' })
    }
  }
  return problems
}

function isReserved({ name }: JsonMap): boolean {
  return typeof name === 'string' && (name.startsWith(envPrefix) || secret.includes(name))
}

/** The token and the job's configuration reach nobody else. */
function mountProblems({ merged: { spec } }: Checked): Problem[] {
  const lists = ['initContainers', 'containers'] as const
  return lists.flatMap((list) =>
    mapsOf(spec[list])
      .filter(({ name }) => name !== (list === 'containers' ? containers.runner : containers.poller))
      .flatMap(({ name, volumeMounts, volumeDevices }) =>
        [...mapsOf(volumeMounts), ...mapsOf(volumeDevices)]
          .filter((mount) => secret.includes(mount.name as string))
          .map((mount) => ({
            at: `spec.${list}["${name}"].volumeMounts`,
            expected: `no mount of ${secret.join(' or ')}`,
            got: mount,
            todo: "Remove it: only the poller may read the token, and only the runner its job's configuration.",
          })),
      ),
  )
}

function named(list: unknown, name: string): JsonMap | undefined {
  return mapsOf(list).find((one) => one.name === name)
}
