import { fail, type Gate, pass } from '../gate.ts'
import { hasRunningListener, type SetReading } from '../reading.ts'
import { type Caps, capsText, sameCaps } from './caps.ts'

/** Read at the end, for each set. */
interface ProofFacts {
  readonly reading: SetReading
  /** Of its spec; null: it is gone. */
  readonly caps: (Caps & { readonly mark: string | null }) | null
  /** The caps that stood when they were given back. */
  readonly wanted: Caps
  /** Runners that had a job before the command and are gone, which the forge still calls busy. */
  readonly lost: readonly string[]
}

/** PROVE_LISTENER_CAP: the set is whole again, with the caps that its source wants. */
export const applyProofs: readonly Gate<ProofFacts>[] = [
  {
    name: 'one-generation',
    why: 'Runners of an older generation run the old spec, and keep a listener from coming back.',
    judge: ({ reading: { generations } }) => ({
      passed: generations.length === 1,
      proof: `generations: ${generations.map(({ name }) => name).join(', ') || 'none'}`,
    }),
  },
  {
    name: 'listener-running',
    why: 'Without a listener the set takes no jobs.',
    judge: ({ reading }) =>
      hasRunningListener(reading) ? pass('its pod runs') : fail('no listener with a running pod'),
  },
  {
    name: 'set-cap',
    why: 'A set that stays frozen takes no jobs.',
    judge: ({ caps, wanted }) => ({
      passed: caps !== null && caps.mark === null && sameCaps(caps, wanted),
      proof: `set: ${caps === null ? 'gone' : capsText(caps)}; wanted: ${capsText(wanted)}`,
    }),
  },
  {
    name: 'listener-cap',
    why: 'The listener scales by its own copy of the caps.',
    judge: ({ reading: { listeners }, wanted }) => ({
      passed:
        listeners.length > 0 &&
        listeners.every(
          ({ minRunners, maxRunners }) =>
            minRunners === (wanted.minRunners ?? 0) && maxRunners === wanted.maxRunners,
        ),
      proof: `listener: ${listeners.map(capsText).join('; ') || 'none'}; wanted: ${capsText(wanted)}`,
    }),
  },
  {
    name: 'no-job-lost',
    why: 'A runner with a job before the command must have ended it, or still have it.',
    judge: ({ lost }) =>
      lost.length === 0
        ? pass('no runner that is gone is busy at the forge')
        : fail(`gone, and busy at the forge: ${lost.join(', ')}`),
  },
]
