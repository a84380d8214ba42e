import { describe, expect, it } from 'vitest'
import type { JobFailureFacts } from './facts.ts'
import { jobFailureClasses, jobFailureGroups, judgeJobFailure, notExplained } from './index.ts'
import { failedJob, failureFacts, runnerSeen, steps, writtenIn } from './testing.ts'
import type { JobFailureClass, JobVerdict } from './verdict.ts'

interface Case {
  readonly how: string
  readonly class: JobFailureClass
  readonly confidence: JobVerdict['confidence']
  readonly fires: JobFailureFacts
  /** The same without the fact that decides. */
  readonly not: JobFailureFacts
  readonly otherwise: JobFailureClass | null
}

const gib = 2 ** 30
const says = (...lines: readonly string[]) => failureFacts({ log: writtenIn(3, ...lines) })
const killed = "error: builder for '/nix/store/x.drv' failed due to signal 9 (Killed)"
const seen = (oomKills: number | null, peakBytes: number | null, limitBytes: number | null = 8 * gib) =>
  runnerSeen({ memory: { oomKills, peakBytes, limitBytes } })
const killedWith = (runner: JobFailureFacts['runner']) => ({ ...says(killed), runner })
const npmTls = 'npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
const shutdown = {
  level: 'failure',
  title: null,
  message: 'The self-hosted runner: linux-7 lost communication with the server.',
}
const noStepFailed = steps(['Set up job', 'success'], ['Run npm test', null])
const stepOf = (...names: readonly string[]) =>
  failedJob({
    steps: steps(
      ['Set up job', 'success'],
      ...names.map((name, at) => [name, at === names.length - 1 ? 'failure' : 'success'] as const),
    ),
  })

const cases: readonly Case[] = [
  {
    how: 'failed in a step that its log alone does not name',
    class: 'own-step',
    confidence: 'likely',
    fires: { job: null, log: 'FAIL a.test.js\n##[error]Process completed with exit code 1.\n', runner: null },
    not: { job: null, log: 'FAIL a.test.js\n', runner: null },
    otherwise: null,
  },
  {
    how: 'was lost with its runner, by the ledger',
    class: 'lost-runner',
    confidence: 'proven',
    fires: failureFacts({
      runner: runnerSeen({ isLost: true, end: { class: 'node-lost', confidence: 'proven' } }),
    }),
    not: failureFacts(),
    otherwise: 'own-step',
  },
  {
    how: 'was lost with its runner, by an annotation',
    class: 'lost-runner',
    confidence: 'likely',
    fires: { job: failedJob({ steps: noStepFailed, annotations: [shutdown] }), log: null, runner: null },
    not: { job: failedJob({ annotations: [shutdown] }), log: null, runner: null },
    otherwise: 'own-step',
  },
  {
    how: 'ran into a time limit',
    class: 'timed-out',
    confidence: 'proven',
    fires: failureFacts({ job: failedJob({ conclusion: 'timed_out' }) }),
    not: failureFacts(),
    otherwise: 'own-step',
  },
  {
    how: "ran into its pool's time limit, and the forge was asked to cancel it",
    class: 'timed-out',
    confidence: 'likely',
    fires: failureFacts({
      job: failedJob({ conclusion: 'cancelled', steps: noStepFailed }),
      runner: runnerSeen({ end: { class: 'job-deadline', confidence: 'likely' } }),
    }),
    not: failureFacts({ job: failedJob({ conclusion: 'cancelled', steps: noStepFailed }) }),
    otherwise: 'cancelled',
  },
  {
    how: 'was cancelled',
    class: 'cancelled',
    confidence: 'proven',
    fires: failureFacts({ job: failedJob({ conclusion: 'cancelled', steps: noStepFailed }) }),
    not: failureFacts({ job: failedJob({ conclusion: 'skipped' }) }),
    otherwise: null,
  },
  {
    how: 'found the disk full',
    class: 'disk-full',
    confidence: 'likely',
    fires: says('cp: error writing: No space left on device'),
    not: failureFacts({
      log: `${writtenIn(2, 'warning: No space left on device, retried')}${writtenIn(3, 'bad')}`,
    }),
    otherwise: 'own-step',
  },
  {
    how: 'met a full file table of its node',
    class: 'host-file-table',
    confidence: 'likely',
    fires: { ...says('Error: spawn ps ENFILE'), runner: null },
    not: says('Error: spawn ps ENFILE'),
    otherwise: 'own-step',
  },
  {
    how: 'had too many files open in one process',
    class: 'process-file-table',
    confidence: 'likely',
    fires: says("Error: EMFILE: too many open files, open '/x'"),
    not: says('Error: ENOENT: no such file'),
    otherwise: 'own-step',
  },
  {
    how: 'lost a compiler to a kill that the kernel counted',
    class: 'confirmed-cgroup-oom',
    confidence: 'likely',
    fires: killedWith(seen(1, 8 * gib)),
    not: { ...says('error: builder failed with exit code 9'), runner: seen(0, 8 * gib) },
    otherwise: 'own-step',
  },
  {
    how: 'lost a compiler to a kill that was none for memory',
    class: 'killed-outside-cgroup',
    confidence: 'likely',
    fires: killedWith(seen(0, 2 * gib)),
    not: killedWith(seen(0, 8 * gib)),
    otherwise: 'transient-runner-memory-evidence',
  },
  {
    how: 'lost a compiler with memory at its limit, and no kill counted',
    class: 'transient-runner-memory-evidence',
    confidence: 'likely',
    fires: killedWith(seen(0, 8 * gib)),
    not: killedWith(seen(0, null)),
    otherwise: 'evidence-incomplete',
  },
  {
    how: 'lost a compiler, and nobody read its memory',
    class: 'evidence-incomplete',
    confidence: 'likely',
    fires: killedWith(seen(null, null)),
    not: killedWith(seen(1, null)),
    otherwise: 'confirmed-cgroup-oom',
  },
  {
    how: 'ended with exit code 137, and nobody read its memory',
    class: 'evidence-incomplete',
    confidence: 'likely',
    fires: { ...says('##[error]Process completed with exit code 137.'), runner: null },
    not: { ...says('##[error]Process completed with exit code 1.'), runner: null },
    otherwise: 'own-step',
  },
  {
    how: 'failed while the kernel killed something of it, which its log does not name',
    class: 'guest-oom',
    confidence: 'likely',
    fires: failureFacts({ runner: seen(2, 8 * gib) }),
    not: failureFacts({ runner: seen(0, 8 * gib) }),
    otherwise: 'own-step',
  },
  {
    how: 'quotes the kernel about memory, and nobody outside counted',
    class: 'guest-oom',
    confidence: 'likely',
    fires: { ...says('Memory cgroup out of memory: Killed process 71 (rustc)'), runner: null },
    not: says('Memory cgroup out of memory: Killed process 71 (rustc)'),
    otherwise: 'own-step',
  },
  {
    how: 'trusted no certificate, without a CA bundle',
    class: 'build-ca-missing',
    confidence: 'likely',
    fires: says(npmTls),
    not: says('npm error code E404'),
    otherwise: 'own-step',
  },
  {
    how: 'trusted no certificate, with a CA bundle set',
    class: 'runtime-trust-store-broken',
    confidence: 'likely',
    fires: says('  NODE_EXTRA_CA_CERTS: /etc/ssl/ca.pem', npmTls),
    not: says('  NODE_EXTRA_CA_CERTS: ', npmTls),
    otherwise: 'build-ca-missing',
  },
  {
    how: 'could not be set up',
    class: 'set-up-failed',
    confidence: 'proven',
    fires: failureFacts({ job: failedJob({ steps: steps(['Set up job', 'failure']) }) }),
    not: failureFacts({ job: stepOf('Set up database') }),
    otherwise: 'own-step',
  },
  {
    how: 'failed in checkout',
    class: 'checkout-failed',
    confidence: 'proven',
    fires: failureFacts({ job: stepOf('Run actions/checkout@v4') }),
    not: failureFacts({ job: stepOf('Run actions/setup-node@v4') }),
    otherwise: 'own-step',
  },
  {
    how: 'failed in a checkout with a name of its own',
    class: 'checkout-failed',
    confidence: 'proven',
    fires: failureFacts({ job: stepOf('Check out the code') }),
    not: failureFacts({ job: stepOf('Install', 'Checkout page tests') }),
    otherwise: 'own-step',
  },
  {
    how: 'failed in its own tests',
    class: 'own-step',
    confidence: 'proven',
    fires: failureFacts(),
    not: failureFacts({ job: failedJob({ conclusion: 'success' }) }),
    otherwise: null,
  },
  {
    how: 'failed, and nothing says why',
    class: 'unknown',
    confidence: 'unknown',
    fires: { job: failedJob({ steps: null }), log: null, runner: null },
    not: { job: failedJob(), log: null, runner: null },
    otherwise: 'own-step',
  },
]

describe('a failed job', () => {
  it.each(cases.map((each) => [each.how, each] as const))(
    'that %s is judged so, and not without that',
    (_, each) => {
      expect(judgeJobFailure(each.fires)).toMatchObject({ class: each.class, confidence: each.confidence })
      expect(judgeJobFailure(each.not)?.class ?? null).toBe(each.otherwise)
    },
  )

  it('of every class is among the cases, and every rule gives what it says', () => {
    expect(new Set(cases.map((each) => each.class))).toEqual(new Set(jobFailureClasses))
    const rows = [...jobFailureGroups.flatMap(({ rules }) => rules), notExplained]
    expect(new Set(rows.flatMap(({ gives }) => gives))).toEqual(new Set(jobFailureClasses))
    for (const { fires } of cases) {
      const verdict = judgeJobFailure(fires)
      expect(rows.find(({ name }) => name === verdict?.rule)?.gives).toContain(verdict?.class)
    }
  })

  it('is never judged with more certainty where a fact is missing', () => {
    const rank = { unknown: 0, likely: 1, proven: 2 } as const
    const certainty = (facts: JobFailureFacts) => rank[judgeJobFailure(facts)?.confidence ?? 'unknown']
    for (const { fires } of cases) {
      for (const less of lessOf(fires)) expect(certainty(less)).toBeLessThanOrEqual(certainty(fires))
    }
  })

  it('on a local runner is likely at most: the files about that runner lie where its job can write', () => {
    const local = failureFacts({ runner: runnerSeen({ isBeyondItsJob: false }) })
    expect(judgeJobFailure(local)).toMatchObject({ class: 'own-step', confidence: 'likely' })
  })

  it('says which step it was, what is ruled out and what was not read', () => {
    expect(judgeJobFailure(failureFacts())).toMatchObject({
      step: 'Run npm test',
      because: ['The forge says that the step "Run npm test" failed.'],
      ruledOut: [
        'not its runner: it ended by itself, in order',
        'not the memory limit: the kernel counted no kill in its groups',
        'not a full disk, a full file table or an untrusted certificate, as far as its log shows',
      ],
      unknown: [],
    })
    const blind = judgeJobFailure({ job: failedJob(), log: null, runner: null })
    expect(blind?.ruledOut).toEqual([])
    expect(blind?.unknown).toHaveLength(2)
  })
})

/** The facts with one of them not read. */
function lessOf({ job, log, runner }: JobFailureFacts): JobFailureFacts[] {
  const facts = { job, log, runner }
  const memory = { oomKills: null, peakBytes: null, limitBytes: null }
  return [
    { ...facts, log: null },
    { ...facts, runner: null },
    ...(runner === null
      ? []
      : [
          { ...facts, runner: { ...runner, memory } },
          { ...facts, runner: { ...runner, fileTableShare: null } },
        ]),
    ...(job === null
      ? []
      : [
          { ...facts, job: { ...job, steps: null } },
          { ...facts, job: { ...job, annotations: null } },
        ]),
  ]
}

describe("a job's log alone", () => {
  const alone = (log: string) => judgeJobFailure({ job: null, log, runner: null })
  const checkout = ['##[group]Run actions/checkout@v4', 'Syncing repository: acme/web']

  it('names the step that failed, and is likely at most', () => {
    const log = writtenIn(
      2,
      ...checkout,
      '##[endgroup]',
      '##[group]Run npm test',
      '##[error]Process completed with exit code 1.',
    )
    expect(alone(log)).toMatchObject({ class: 'own-step', confidence: 'likely', step: 'Run npm test' })
  })

  it('shows a checkout that met files of an earlier job', () => {
    const eacces =
      "##[error]File was unable to be removed Error: EACCES: permission denied, unlink '/srv/a/_work/web/web/x'"
    const verdict = alone(writtenIn(2, ...checkout, eacces))
    expect(verdict).toMatchObject({ class: 'checkout-failed', confidence: 'likely' })
    expect(verdict?.because.join()).toContain('EACCES: permission denied, unlink')
  })

  it.each([
    ['memory.events oom_kill 0, then 1', 'oom_kill 0\noom_kill 1\n', 'confirmed-cgroup-oom'],
    ['no kill and a low peak', 'oom_kill 0\nmemory.peak: 1000\nmemory.max: 9000\n', 'killed-outside-cgroup'],
    [
      'a peak at the limit',
      'oom_kill 0\nmemory.peak: 8900\nmemory.max: 9000\n',
      'transient-runner-memory-evidence',
    ],
    ['a peak alone', 'memory.peak: 8900\n', 'evidence-incomplete'],
  ])('takes what the job printed of its memory for a claim: %s', (_, figures, failure) => {
    const verdict = alone(`${figures}${killed}\n`)
    expect(verdict).toMatchObject({ class: failure, confidence: 'likely' })
  })

  it('without a failure in it says nothing', () => {
    expect(alone('all is well\n')).toBeNull()
    expect(alone('')).toBeNull()
  })
})
