import { deleterOf } from './deleter.ts'
import type { ContainerEnd } from './ending.ts'
import type { Known } from './known.ts'
import { rebootWords } from './reboot.ts'
import type { DeathClass } from './record.ts'
import { bytes } from './words.ts'

/** Ends are given in whole seconds. */
const SAME_MOMENT_MS = 2_000
const ofMemory: ReadonlySet<DeathClass> = new Set([
  ...(['container-oom', 'guest-oom', 'evicted-memory'] as const),
])
const NOTES_MAX = 5
/** Of a volume of this size, such as the one that hands over a configuration, no memory runs out. */
const SMALL_BYTES = 2 ** 20

/** What else stands in the evidence and belongs to the class that was found; it changes neither class nor confidence. */
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

/** A kernel counts what is written to a volume in memory as memory of who writes it. */
function volumeWords({ pod }: Known): string[] {
  const large = (pod?.memoryVolumes ?? []).filter(({ sizeLimitBytes }) => !isSmall(sizeLimitBytes))
  return large.slice(0, NOTES_MAX).map(({ name, sizeLimitBytes }) => {
    const most = sizeLimitBytes === null ? 'without a limit of its own' : `up to ${bytes(sizeLimitBytes)}`
    return `Its volume ${name} lies in memory (${most}), and what is written there counts as memory of its containers.`
  })
}

function isSmall(sizeLimitBytes: number | null): boolean {
  return sizeLimitBytes !== null && sizeLimitBytes <= SMALL_BYTES
}

function ownerWords({ pod }: Known): string[] {
  const collected = pod?.events.findLast(({ reason }) => reason === 'OwnerRefInvalidNamespace')
  if (collected !== undefined) {
    return [`The garbage collector deletes pods whose owner is not there, and said: ${collected.message}`]
  }
  return (pod?.owners ?? [])
    .slice(0, NOTES_MAX)
    .map(
      ({ kind, name }) =>
        `It belongs to ${kind} ${name}: the garbage collector deletes it when that is deleted.`,
    )
}

function hookWords({ pod }: Known): string[] {
  const hook = pod?.events.findLast(({ reason }) => reason === 'FailedPreStopHook')
  return hook === undefined ? [] : [`Its preStop hook failed as it was asked to go: ${hook.message}`]
}

/** What kills all of a pod at once is not what kills a program; where it was asked to go, that is why. */
function together({ pod, runner, ending }: Known): string[] {
  const at = runner?.finishedAt ?? null
  if (pod === null || at === null || deleterOf(ending) !== null) return []
  const isToo = ({ name, exitCode, finishedAt }: ContainerEnd) =>
    name !== 'runner' && exitCode !== 0 && finishedAt !== null && Math.abs(finishedAt - at) <= SAME_MOMENT_MS
  return pod.containers
    .filter(isToo)
    .slice(0, NOTES_MAX)
    .map(({ name, exitCode, reason }) => {
      const how = exitCode === null ? 'no exit code is known of it' : `with exit code ${exitCode}`
      return `Its container ${name} ended in the same moment, ${how}${reason === null ? '' : ` (${reason})`}.`
    })
}
