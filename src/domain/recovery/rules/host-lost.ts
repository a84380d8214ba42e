import { SILENT_AFTER_MS } from '../../death/index.ts'
import { rule } from '../rule.ts'
import { calmMs, decisiveAgeMs, lookAgain, mayWork, removeRegistration } from './shared.ts'

/** How often a host says that it lives; many of these fit into the time after which it is lost. */
export const heartbeatMs = 10_000
/**
 * A longer pause between two heartbeats is an absence of our own. Shorter than a runner may be silent (`silent-runner`), by
 * more than it takes one to ask again.
 */
export const absenceMs = 60_000
/** A host that dies was last heard up to so long before, and its runners ask until they die with it. */
const heardWithinMs = SILENT_AFTER_MS
/** Who asked for a job so lately, and after its host fell silent, lives, though nobody speaks for its host. */
const askedMs = 5 * 60_000

/**
 * The machine or cluster of a runner has not been heard for so long that it counts as gone. Nobody there can be asked, so
 * the forge is: one that it hears stays, and holds its place.
 */
export const hostLost = rule({
  name: 'host-lost',
  why: 'The host of a runner fell silent for good, and the forge does not hear the runner: both are lost, and its place is free.',
  on: 'runner',
  apart: 'lost-host',
  needs: { forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  concerns: ({ hostLostSince }) => hostLostSince !== undefined,
  act: ({ runner, hasOpenAttempt, last, hostLostSince = 0 }, { forgeJob, forgeRunner, now }) => {
    const askedAt = runner.polledAt ?? 0
    const askedAlone = askedAt > hostLostSince + heardWithinMs && now < askedAt + askedMs
    if (mayWork(forgeRunner) || askedAlone) return lookAgain(calmMs)
    if (hasOpenAttempt && forgeJob?.kind === 'known' && forgeJob.word.status === 'completed') {
      return [{ kind: 'hear', word: forgeJob.word }]
    }
    const heard = new Date(hostLostSince).toISOString()
    const because = [
      `Its host ${runner.host} was last heard at ${heard}.`,
      forgeRunner?.kind === 'present'
        ? 'The forge says that it is offline and not busy.'
        : 'The forge does not know it (any more).',
    ]
    const silence = { lastHeardAt: hostLostSince, wasRegistered: forgeRunner?.kind === 'present' }
    const loss = { class: 'host-lost', because, silence } as const
    return [
      ...(last === null ? [] : removeRegistration(last.job, forgeRunner)),
      { kind: 'seal-lost', runnerId: runner.id, loss },
    ]
  },
})
