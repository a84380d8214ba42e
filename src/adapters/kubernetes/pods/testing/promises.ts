/*
 * What every runner's pod promises, read off the pod alone: nothing here knows how pods are made. Names are written
 * out, so that a change of one breaks a test.
 */

import { isDeepStrictEqual } from 'node:util'

// biome-ignore lint/suspicious/noExplicitAny: a pod as it is sent, or as the API server gives it back
type Any = any

const secrets = ['holdfast-token', 'holdfast-jit']

/** The promises that a pod does not keep; none where it keeps all. */
export function promisesBroken(
  pod: Any,
  expected: { runner: string; pool: string; image: string },
): string[] {
  const broken: string[] = []
  const promise = (words: string, isKept: boolean): void => void (isKept || broken.push(words))
  const { metadata, spec } = pod
  const [main, init]: [Any[], Any[]] = [spec.containers, spec.initContainers ?? []]
  const shape = metadata.labels['holdfast.dev/shape']
  const runner = main[0] ?? {}

  promise('its name is its runner', metadata.name === expected.runner)
  promise('its labels say whose it is', metadata.labels['holdfast.dev/pool'] === expected.pool)
  promise('its labels say which runner it is', metadata.labels['holdfast.dev/runner'] === expected.runner)
  promise(
    'its labels say what it is made from',
    /^[0-9a-f]{12}$/.test(metadata.labels['holdfast.dev/template']),
  )
  promise('it is kept for its evidence', metadata.finalizers?.join() === 'holdfast.dev/evidence')
  promise('nobody owns it', (metadata.ownerReferences ?? []).length === 0)
  const notes = Object.keys(metadata.annotations ?? {})
  promise('it is not busy yet', !notes.some((note) => /do-not-disrupt|safe-to-evict/.test(note)))

  promise('nothing in it is started again', spec.restartPolicy === 'Never')
  promise('it ends by nobody’s clock', spec.activeDeadlineSeconds === undefined)
  promise('the scheduler places it', spec.nodeName === undefined || spec.nodeName === '')
  promise('it has no token by itself', spec.automountServiceAccountToken === false)
  promise('it has no variables of services', spec.enableServiceLinks === false)
  promise('it sees no processes of others', !spec.hostPID && !spec.shareProcessNamespace)
  promise('it may report its end', spec.terminationGracePeriodSeconds === 91)

  promise('the runner alone keeps it alive', main.length === 1 && runner.name === 'runner')
  promise('the runner is the pool’s image', runner.image === expected.image)
  promise('the runner is not killed by a probe', !runner.livenessProbe && !runner.startupProbe)
  promise('the runner is not started again', !runner.restartPolicy)

  const token = spec.volumes.find((volume: Any) => volume.name === 'holdfast-token')
  const jit = spec.volumes.find((volume: Any) => volume.name === 'holdfast-jit')
  promise('its token is for us alone', token?.projected?.sources?.length === 1)
  promise('… for us', token?.projected?.sources?.[0].serviceAccountToken?.audience === 'holdfast')
  promise('… for a while', token?.projected?.sources?.[0].serviceAccountToken?.expirationSeconds > 0)
  promise('a job’s configuration stays in memory', jit?.emptyDir?.medium === 'Memory')
  promise('… and is small', jit?.emptyDir?.sizeLimit === '1Mi')
  for (const volume of spec.volumes) {
    if (volume.name === 'holdfast-token') continue
    for (const source of volume.projected?.sources ?? []) {
      const audience = source.serviceAccountToken?.audience
      promise('no other token is ours', !source.serviceAccountToken || (audience && audience !== 'holdfast'))
    }
    const path = volume.hostPath?.path ?? '/fine'
    promise(
      'no job reaches the kubelet',
      !'/var/lib/kubelet/pods/'.startsWith(path) && !path.includes('kubelet'),
    )
    promise('no job reaches the runtime', !/(docker|containerd)\.sock|^\/(var\/)?run\/?$/.test(path))
  }
  for (const container of [...init, ...main]) {
    const mounted = (container.volumeMounts ?? []).map((mount: Any) => mount.name)
    const isPoller = init.includes(container) && container.name === 'poller'
    const isRunner = container === runner
    const mayHave = isPoller || (isRunner && shape === 'single') ? secrets : isRunner ? ['holdfast-jit'] : []
    const reached = mounted.filter((name: string) => secrets.includes(name))
    promise(
      `${container.name} reaches no secret but its own`,
      reached.toSorted().join() === mayHave.toSorted().join(),
    )
  }
  checkPromises(init, runner, shape === 'isolated' && runner.command !== undefined, promise)
  if (shape === 'isolated') pollerPromises(init, spec.securityContext ?? {}, runner, promise)
  else promise('nobody else polls', !init.some((container) => container.name === 'poller'))
  return broken
}

function checkPromises(
  init: Any[],
  runner: Any,
  isDue: boolean,
  promise: (words: string, isKept: boolean) => void,
): void {
  const checks = init.filter(({ name }) => name === 'check')
  promise('what can keep the runner from starting is found before', checks.length === (isDue ? 1 : 0))
  const [check] = checks
  if (check === undefined) return
  promise('… right before the poller asks', init.at(-2) === check)
  const { command, args, volumeMounts = [] } = check
  promise('the check looks for the program and does no more', command.slice(0, 2).join(' ') === 'sh -c')
  promise(
    '… for that of the pool',
    command.slice(3).join(' ') === `check ${runner.command[2]} ${runner.image}`,
  )
  promise('… and has no say of its own', args === undefined)
  promise('the check ends by itself', check.restartPolicy === undefined)
  const same = ['image', 'imagePullPolicy', 'workingDir', 'env', 'envFrom', 'resources', 'securityContext']
  for (const field of same) {
    promise(`the check is as the runner is: ${field}`, isDeepStrictEqual(check[field], runner[field]))
  }
  const open = (runner.volumeMounts ?? []).filter((mount: Any) => !secrets.includes(mount.name))
  promise('… with its volumes but the secret ones', isDeepStrictEqual(volumeMounts, open))
  const never = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'ports']
  promise('nobody watches the check or reaches it', !never.some((field) => field in check))
  promise('the check’s last words are kept', check.terminationMessagePolicy === 'FallbackToLogsOnError')
}

function pollerPromises(
  init: Any[],
  pod: Any,
  runner: Any,
  promise: (words: string, isKept: boolean) => void,
): void {
  const poller = init.at(-1)
  promise('the poller is the last before the runner', poller?.name === 'poller')
  promise('there is one poller', init.filter((container) => container.name === 'poller').length === 1)
  const own = poller?.securityContext ?? {}
  const uid = runner.securityContext?.runAsUser ?? pod.runAsUser
  promise('the poller runs as who must read its file', typeof uid === 'number' && own.runAsUser === uid)
  promise('the poller is not root unless jobs are', uid === 0 || own.runAsNonRoot === true)
  promise('the poller may do nothing', own.capabilities?.drop?.join() === 'ALL' && !own.capabilities.add)
  promise('… and becomes no more', own.allowPrivilegeEscalation === false && own.privileged !== true)
  promise('… and writes nowhere', own.readOnlyRootFilesystem === true)
  promise('… and is confined', own.seccompProfile?.type === 'RuntimeDefault')
  promise(
    'the poller is our program',
    poller?.command?.join(' ') === 'sh /holdfast/poller.sh' && !poller.args,
  )
  promise('… in our image', poller?.image === 'holdfast.test/poller:1')
  promise('… that is not restarted', poller?.restartPolicy === undefined)
  const values = new Map(
    (poller?.env ?? []).map((one: Any) => [one.name, one.value ?? one.valueFrom?.fieldRef?.fieldPath]),
  )
  promise('the poller asks us', values.get('HOLDFAST_URL') === 'http://holdfast.example:8080')
  promise('… as this pod', values.get('HOLDFAST_RUNNER') === 'metadata.name')
  promise('… with its token', values.get('HOLDFAST_TOKEN_FILE') === '/var/run/holdfast/token/token')
  promise('… for this folder', values.get('HOLDFAST_JIT_DIR') === '/holdfast/jit')
}
