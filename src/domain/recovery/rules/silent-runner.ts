import type { Instant } from '../../time.ts'
import { rule } from '../rule.ts'
import type { Subject } from '../view.ts'

/** Polls are held for less than a minute: an idle runner that asked for nothing this long will not ask again. */
const silentMs = 2 * 60_000

type RunnerSubject = Extract<Subject, { kind: 'runner' }>

/** A process that lives and does nothing: frozen, or cut off from us. It must not count as capacity for ever. */
export const silentRunner = rule({
  name: 'silent-runner',
  why: 'An idle runner has not asked for work for long: it hangs, and jobs wait behind it.',
  on: 'runner',
  needs: { hosted: 30_000 },
  without: {
    forgeJob: 'an idle runner was given no configuration: the forge knows neither it nor a job of it',
    forgeRunner: 'an idle runner was given no configuration: the forge knows neither it nor a job of it',
  },
  concerns: (subject, now) =>
    !subject.hasOpenAttempt &&
    now >= silentAt(subject) &&
    (subject.runner.state === 'polling' ||
      (subject.runner.state === 'booting' && now >= subject.runner.checkAt)),
  act: ({ runner }, { hosted }) => {
    if (hosted?.kind !== 'running') return null
    // How long it may wait for a node and for its image is its pool's word, and `runner/liveness` keeps it.
    if (runner.state === 'booting' && hosted.program === 'waiting') return null
    const reason = 'it did not ask for work'
    return [
      { kind: 'fence', runnerId: runner.id, reason },
      { kind: 'stop-runner', runnerName: runner.name, reason, evenIfStarted: false },
    ]
  },
})

/**
 * When a runner that asks for nothing from now on counts as hanging; never where nobody knows that we were there to be
 * asked. While we were away it asked in vain, and after that all the idle ones would be sent away at once.
 */
export function silentAt({ runner, watchedSince = Number.POSITIVE_INFINITY }: RunnerSubject): Instant {
  const askedAt = runner.state === 'booting' ? 0 : (runner.polledAt ?? runner.createdAt)
  return Math.max(askedAt, watchedSince) + silentMs
}
