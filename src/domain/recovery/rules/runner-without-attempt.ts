import { rule } from '../rule.ts'
import { decisiveAgeMs, lookAgain, removeRegistration, uneasyMs } from './shared.ts'

/** The ledger counts on a runner that the host does not have. */
export const vanishedRunner = rule({
  name: 'vanished-runner',
  why: 'A runner that should be alive is not on its host, and nothing of it is left: its end was not seen.',
  on: 'runner',
  needs: { hosted: 5_000 },
  concerns: ({ runner }, now) => runner.state !== 'booting' || now >= runner.checkAt,
  act: ({ runner }, { hosted }) =>
    hosted?.kind === 'absent' ? [{ kind: 'seal-vanished', runnerId: runner.id }] : null,
})

/** A runner whose job is over may take this long to tidy up and end by itself. */
const goodbyeMs = 30_000

/** Its job is over or went elsewhere: the runner has nothing to do here, and must not take a job unseen. */
export const runnerWithoutAttempt = rule({
  name: 'runner-without-attempt',
  why: 'A runner used its one configuration and has no open attempt: it must neither linger nor work unseen.',
  on: 'runner',
  needs: { hosted: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  concerns: ({ runner, hasOpenAttempt, last }, now) =>
    !hasOpenAttempt &&
    (runner.state === 'claimed' || runner.state === 'busy' || runner.state === 'fenced') &&
    now >= Math.max(runner.fencedAt ?? 0, last?.attempt.endedAt ?? 0) + goodbyeMs,
  act: ({ runner, last }, { hosted, forgeRunner }) => {
    if (hosted?.kind !== 'running') return null // its end is sealed by the lifecycle, or it is absent
    if (forgeRunner?.kind === 'present' && forgeRunner.busy) return lookAgain(uneasyMs)
    const reason = runner.reason ?? 'its job is over and it did not end'
    return [
      ...(last === null ? [] : removeRegistration(last.job, forgeRunner)),
      ...(runner.state === 'claimed' ? [{ kind: 'fence' as const, runnerId: runner.id, reason }] : []),
      { kind: 'stop-runner', runnerName: runner.name, reason },
    ]
  },
})
