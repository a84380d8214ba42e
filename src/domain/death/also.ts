import { bytes } from '../format.ts'
import { deleterOf } from './deleter.ts'
import type { ContainerEnd } from './ending.ts'
import type { Known } from './known.ts'
import { rebootWords } from './reboot.ts'
import type { DeathClass } from './record.ts'

/** Kubelets report ends in whole seconds. */
const sameTimeMs = 2_000
const ofMemory: ReadonlySet<DeathClass> = new Set([
  ...(['container-oom', 'guest-oom', 'evicted-memory'] as const),
])
const notesMax = 5
/** A volume up to this size, such as the one for the JIT configuration, exhausts no memory limit. */
const smallBytes = 2 ** 20

/** Further facts of the evidence that belong to the class; they change neither class nor confidence. */
export function alsoOf(known: Known, deathClass: DeathClass): readonly string[] {
  if (known.pod === null || deathClass === 'clean') return []
  return [
    ...(ofMemory.has(deathClass) ? volumeWords(known) : []),
    ...(deathClass === 'deleted' ? ownerWords(known) : []),
    ...(deathClass === 'node-lost' ? [] : [rebootWords(known)].filter((words) => words !== null)),
    ...hookWords(known),
    ...together(known),
  ]
}

/** The kernel charges pages of a volume in memory to the container that writes them. */
function volumeWords({ pod }: Known): string[] {
  const large = (pod?.memoryVolumes ?? []).filter(({ sizeLimitBytes }) => !isSmall(sizeLimitBytes))
  return large.slice(0, notesMax).map(({ name, sizeLimitBytes }) => {
    const most = sizeLimitBytes === null ? 'without a limit of its own' : `up to ${bytes(sizeLimitBytes)}`
    return `Its volume ${name} lies in memory (${most}), and what is written there counts as memory of its containers.`
  })
}

function isSmall(sizeLimitBytes: number | null): boolean {
  return sizeLimitBytes !== null && sizeLimitBytes <= smallBytes
}

function ownerWords({ pod }: Known): string[] {
  const collected = pod?.events.findLast(({ reason }) => reason === 'OwnerRefInvalidNamespace')
  if (collected !== undefined) {
    return [`The garbage collector deletes pods whose owner is not there, and said: ${collected.message}`]
  }
  return (pod?.owners ?? [])
    .slice(0, notesMax)
    .map(
      ({ kind, name }) =>
        `It belongs to ${kind} ${name}: the garbage collector deletes it when that is deleted.`,
    )
}

function hookWords({ pod }: Known): string[] {
  const hook = pod?.events.findLast(({ reason }) => reason === 'FailedPreStopHook')
  return hook === undefined ? [] : [`Its preStop hook failed as it was asked to go: ${hook.message}`]
}

/** Containers that ended with the runner point to a cause outside its program; a deletion explains them already. */
function together({ pod, runner, ending }: Known): string[] {
  const at = runner?.finishedAt ?? null
  if (pod === null || at === null || deleterOf(ending) !== null) return []
  const isToo = ({ name, exitCode, finishedAt }: ContainerEnd) =>
    name !== 'runner' && exitCode !== 0 && finishedAt !== null && Math.abs(finishedAt - at) <= sameTimeMs
  return pod.containers
    .filter(isToo)
    .slice(0, notesMax)
    .map(({ name, exitCode, reason }) => {
      const how = exitCode === null ? 'no exit code is known of it' : `with exit code ${exitCode}`
      return `Its container ${name} ended at the same time, ${how}${reason === null ? '' : ` (${reason})`}.`
    })
}
