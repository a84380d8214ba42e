import { goodbyeMs } from '../../runner/index.ts'
import { rule } from '../rule.ts'
import { decisiveAgeMs, isRunBy, lookAgain, mayHaveHadOne, removeRegistration, uneasyMs } from './shared.ts'

/** The ledger counts on a runner that the host does not have. */
export const vanishedRunner = rule({
  name: 'vanished-runner',
  why: 'A runner that should be alive is not on its host, and nothing of it is left: its end was not seen.',
  on: 'runner',
  needs: { hosted: 5_000 },
  without: {
    forgeJob:
      'the host itself says that nothing of it is left: its end is recorded, and its attempt is judged by itself',
    forgeRunner:
      'the host itself says that nothing of it is left: its end is recorded, and its attempt is judged by itself',
  },
  concerns: ({ runner }, now) => runner.state !== 'booting' || now >= runner.checkAt,
  act: ({ runner }, { hosted }) =>
    hosted?.kind === 'absent' ? [{ kind: 'seal-vanished', runnerId: runner.id }] : null,
})

/** Its job is over or went elsewhere: the runner has nothing to do here, and must not take a job unseen. */
export const runnerWithoutAttempt = rule({
  name: 'runner-without-attempt',
  why: 'A runner used its one configuration and has no open attempt: it must neither linger nor work unseen.',
  on: 'runner',
  hosted: {
    atMostMsOld: decisiveAgeMs,
    // The lifecycle seals a runner that exited; one that is leaving was asked already, and has a rule where it is stuck.
    holds: (hosted) => hosted.kind === 'running' && hosted.leavingSince === null,
  },
  needs: { hosted: decisiveAgeMs, forgeJob: decisiveAgeMs, forgeRunner: decisiveAgeMs },
  without: {},
  concerns: ({ runner, hasOpenAttempt, last }, now) =>
    !hasOpenAttempt &&
    (runner.state === 'claimed' || runner.state === 'busy' || runner.state === 'fenced') &&
    now >= Math.max(runner.fencedAt ?? 0, last?.attempt.endedAt ?? 0) + goodbyeMs,
  act: ({ runner, last }, { hosted, forgeJob, forgeRunner }) => {
    if (hosted?.kind !== 'running') return null
    if (last === null && mayHaveHadOne(runner)) return lookAgain(uneasyMs)
    if (forgeRunner?.kind === 'present' && forgeRunner.busy) return lookAgain(uneasyMs)
    if (last !== null && isRunBy(forgeJob, last.attempt.forgeRunnerName)) return lookAgain(uneasyMs)
    const reason = runner.reason ?? 'its job is over and it did not end'
    // The forge's word about the job it was given is proof: over, gone, queued, or run by another. Of a runner that
    // never had one the ledger says so, and the host refuses where a program that runs speaks against it.
    const evenIfStarted = last !== null
    return [
      ...(last === null ? [] : removeRegistration(last.job, forgeRunner)),
      ...(runner.state === 'claimed' ? [{ kind: 'fence' as const, runnerId: runner.id, reason }] : []),
      { kind: 'stop-runner', runnerName: runner.name, reason, evenIfStarted },
    ]
  },
})
