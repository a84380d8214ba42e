import type { PodPlan } from '../../../../domain/pool/index.ts'
import { type JsonMap, mapOf, mapsOf } from '../json.ts'
import { containers, volumes } from '../names.ts'

/**
 * Says whether the program is there and may be executed by who runs here, as the launcher will look for it. Without
 * `$(`, which the kubelet would read; its inputs stand in its arguments.
 */
const script = `
refuse() {
  printf 'holdfast check: expected the program "%s" of the pool in its image %s, %s. %s\\n' "$program" "$image" "$2" "$3" >&2
  exit "$1"
}
program=$1 image=$2
case $program in
  */*)
    [ -e "$program" ] || refuse 127 "got none at that path (from $PWD)" "Correct the pool's command or its image."
    [ ! -d "$program" ] || refuse 126 'got a folder' "Correct the pool's command."
    [ -x "$program" ] ||
      refuse 126 'got a file that its user may not execute' 'Make it executable in the image, or name another user.' ;;
  *)
    command -v "$program" > /dev/null 2>&1 ||
      refuse 127 "got none in PATH ($PATH)" "Correct the pool's command or its image, or write the whole path." ;;
esac
`.trim()

/** The parts of the runner that the check has: all that can keep the runner from starting. */
const copied = [
  ...['image', 'imagePullPolicy', 'workingDir', 'env', 'envFrom', 'resources', 'securityContext'],
  ...['volumeMounts', 'volumeDevices'],
] as const
const secret: readonly unknown[] = [volumes.token, volumes.jit]

/**
 * Adds the container that stands before the poller for the runner: as the runner is after its template was merged, but
 * without its program and its secrets. Whatever the kubelet refuses about it (an image, a key of a ConfigMap, a user),
 * and a program that is not there, is found before a job is claimed, and the image is on the node by then. An image
 * that starts by itself (no command) may have no shell: there is nothing to check it with.
 */
export function withCheck(pod: JsonMap, { shape, command }: PodPlan): JsonMap {
  const spec = mapOf(pod.spec)
  const runner = mapsOf(spec.containers).find(({ name }) => name === containers.runner)
  const program = command?.[0]
  if (shape !== 'isolated' || program === undefined || runner === undefined) return pod
  const init = mapsOf(spec.initContainers)
  const isPoller = ({ name }: JsonMap): boolean => name === containers.poller
  const before = init.filter((one) => !isPoller(one))
  const initContainers = [...before, checkOf(runner, program), ...init.filter(isPoller)]
  return { ...pod, spec: { ...spec, initContainers } }
}

function checkOf(runner: JsonMap, program: string): JsonMap {
  const kept = Object.fromEntries(
    copied.flatMap((field) => (runner[field] === undefined ? [] : [[field, runner[field]]])),
  )
  return {
    ...kept,
    name: containers.check,
    command: ['sh', '-c', script, containers.check, program, `${runner.image}`],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: mapsOf(runner.volumeMounts).filter(({ name }) => !secret.includes(name)),
  }
}
