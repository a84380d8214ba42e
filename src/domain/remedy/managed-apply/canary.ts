import { differsFromSpec } from '../../audit/runtime/generation.ts'
import { fail, type Gate, pass } from '../gate.ts'
import { hasRunningListener, type SetReading } from '../reading.ts'
import { type Caps, capsText } from './caps.ts'

/** Everything that is known of a set before an apply begins. */
interface CanaryFacts {
  readonly reading: SetReading
  /** Of its spec, with the mark of an apply that froze it; null: there is no such set. */
  readonly caps: (Caps & { readonly mark: string | null }) | null
  /** Null: its runners are in no list of the forge that can be read. */
  readonly forgeScope: string | null
}

/** CANARY: no transition begins on top of another. */
export const canaryGates: readonly Gate<CanaryFacts>[] = [
  {
    name: 'set-there',
    why: 'A set that is not there, or is being deleted, is no set to apply to.',
    judge: ({ reading: { set } }) =>
      set === null
        ? fail('there is no such AutoscalingRunnerSet')
        : { passed: set.deletedAt === null, proof: set.deletedAt === null ? 'there' : 'it is being deleted' },
  },
  {
    name: 'one-generation',
    why: 'A second EphemeralRunnerSet, or one with another image than the set, is a rollover under way.',
    judge({ reading: { set, generations } }) {
      const names = generations.map(({ name }) => name).join(', ') || 'none'
      const isRolling = set !== null && generations.some(({ images }) => differsFromSpec(images, set))
      return {
        passed: generations.length === 1 && !isRolling,
        proof: `generations: ${names}${isRolling ? '; not of the image that the set declares' : ''}`,
      }
    },
  },
  {
    name: 'listener-running',
    why: 'Without its listener a set is in a transition already, and the job fields of its runners prove nothing.',
    judge: ({ reading }) =>
      hasRunningListener(reading) ? pass('its pod runs') : fail('no listener with a running pod'),
  },
  {
    name: 'caps-in-effect',
    why: 'A listener with other caps than its set is about to be made again.',
    judge: ({ reading: { set, listeners } }) => ({
      passed: set !== null && listeners.every((each) => hasCapsOf(each, set)),
      proof: `set: ${set === null ? 'none' : capsText(set)}; listener: ${listeners.map(capsText).join('; ') || 'none'}`,
    }),
  },
  {
    name: 'not-frozen',
    why: 'An apply of another data folder has frozen it.',
    judge: ({ caps }) =>
      caps === null || caps.mark === null
        ? pass('no mark of an apply')
        : fail(`frozen by the apply ${caps.mark}: resume or abort it where it was begun`),
  },
  {
    name: 'forge-known',
    why: 'Before a runner is reaped the forge is asked.',
    judge: ({ forgeScope }) =>
      forgeScope === null
        ? fail('its runners are in no list of the forge that can be read')
        : pass(`runners of ${forgeScope}`),
  },
]

function hasCapsOf(listener: Caps, set: Caps): boolean {
  return (listener.minRunners ?? 0) === (set.minRunners ?? 0) && listener.maxRunners === set.maxRunners
}
