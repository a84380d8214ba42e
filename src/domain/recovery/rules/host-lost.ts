import { silentAfterMs } from '../../death/index.ts'
import { rule } from '../rule.ts'
import { calmMs, decisiveAgeMs, lookAgain, mayWork, removeRegistration } from './shared.ts'

/** The interval of a host's heartbeats; many fit into the time after which it is lost. */
export const heartbeatMs = 10_000
/**
 * A longer pause between two heartbeats is an absence of our own. Shorter than a runner may be silent (`silent-runner`), by
 * more than it takes one to ask again.
 */
export const absenceMs = 60_000
/** The last heartbeat of a host that dies may be this old; its runners poll until they die with it. */
const lastHeartbeatMs = silentAfterMs
/** A runner that polled within this time, and after its host fell silent, lives. */
const askedMs = 5 * 60_000

/**
 * The rule for a runner whose machine or cluster is silent for so long that it counts as lost. The host cannot be asked, so
 * the forge is: a runner that is online there stays, and keeps its place.
 */
export const hostLost = rule({
  name: 'host-lost',
  why: 'The host of a runner fell silent for good, and the runner is offline at the forge: both are lost, and its place is free.',
  on: 'runner',
  apart: 'lost-host',
  needs: { forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: { hosted: 'its host is lost: that nobody can ask it is what the rule is about' },
  concerns: ({ hostLostSince }) => hostLostSince !== undefined,
  act: ({ runner, hasOpenAttempt, last, hostLostSince = 0 }, { forgeJob, forgeRunner, now }) => {
    const askedAt = runner.polledAt ?? 0
    const askedAlone = askedAt > hostLostSince + lastHeartbeatMs && now < askedAt + askedMs
    if (mayWork(forgeRunner) || askedAlone) return lookAgain(calmMs)
    if (hasOpenAttempt && forgeJob?.kind === 'known' && forgeJob.word.status === 'completed') {
      return [{ kind: 'hear', word: forgeJob.word }]
    }
    const heartbeat = new Date(hostLostSince).toISOString()
    const because = [
      `The last heartbeat of its host ${runner.host} was at ${heartbeat}.`,
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
