import type { DeathFacts, Ending } from '../../src/domain/death/index.ts'
import {
  aHostSamples,
  aJobAtEnd,
  anEnd,
  aPodEnd,
  aRunnerEnd,
  endedAt,
} from '../../src/domain/death/testing.ts'

/** A log as a runner leaves it: 200 lines, with vitals between them some 60 KiB. */
const vitals = (index: number) =>
  `${new Date(endedAt - (200 - index) * 3000).toISOString()} RUNNER_VITALS mem_current=${5e9 + index} mem_peak=6000000000 mem_max=8589934592 oom=0 oom_kill=0 cpu_busy=71.5 psi_cpu=12.20 psi_mem=0.00 psi_io=1.40 load1=6.12 disk_free=48318382080 inodes_free=12000000 fds=812 pids=133 host=linux-large`
const step = (index: number) =>
  `[2026-11-16 03:1${index % 10}:00Z] test/unit/part-${index}.test.ts  ${index} passed, 0 failed, 12 ms`
const lines = (count: number, line: (index: number) => string) =>
  `${Array.from({ length: count }, (_, index) => line(index)).join('\n')}\n`
const large = lines(200, (index) => (index % 4 === 0 ? step(index) : vitals(index)))
const plain = lines(200, step)

const ofPod = (over: Parameters<typeof aRunnerEnd>[0], pod: Parameters<typeof aPodEnd>[0] = {}) =>
  aPodEnd({
    containers: [aRunnerEnd({ exitCode: 0, name: 'poller', isInit: true }), aRunnerEnd(over)],
    ...pod,
  })
const facts = (ending: Partial<Ending>, known: Partial<DeathFacts> = {}): DeathFacts => ({
  job: null,
  ring: null,
  ...known,
  ending: anEnd(ending),
})
const done = aJobAtEnd({ forgeStatus: 'completed', conclusion: 'success', heardAt: endedAt })
const full = { reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage. ' }
const pull = { kind: 'ImagePull', message: 'ErrImagePull: 401', since: endedAt } as const

/** The deaths of a fleet in a day, of a hundred: most are clean, and those keep no log. */
export const hundredDeaths: readonly (readonly [count: number, facts: DeathFacts])[] = [
  [70, facts({ exitCode: 0, pod: ofPod({ exitCode: 0, reason: 'Completed' }) }, { job: done })],
  [3, facts({ exitCode: 0, tail: plain, pod: ofPod({ exitCode: 0 }) }, { job: aJobAtEnd() })],
  [8, facts({ exitCode: 143, stopRequestedBy: 'the pool shrank', tail: 'no job yet\n', pod: ofPod({}) })],
  [
    4,
    facts(
      { exitCode: 137, tail: large, pod: ofPod({ reason: 'OOMKilled', exitCode: 137 }) },
      { job: aJobAtEnd() },
    ),
  ],
  [
    2,
    facts(
      { exitCode: 137, tail: large, pod: ofPod({ exitCode: 137 }) },
      { job: aJobAtEnd(), ring: aHostSamples() },
    ),
  ],
  [2, facts({ exitCode: 137, tail: large, pod: ofPod({ exitCode: 137 }) }, { job: aJobAtEnd() })],
  [3, facts({ exitCode: 1, tail: `${plain}Error: spawn ps ENFILE\n`, pod: ofPod({}) }, { job: aJobAtEnd() })],
  [2, facts({ exitCode: 137, tail: plain, pod: ofPod({ exitCode: 137 }, full) }, { job: aJobAtEnd() })],
  [3, facts({ startedAt: null, pod: ofPod({ state: 'waiting', exitCode: null }, { trouble: pull }) })],
  [2, facts({ signal: 'SIGSEGV', tail: large }, { job: aJobAtEnd() })],
  [1, facts({ tail: large, pod: ofPod({ state: 'running', exitCode: null }), missing: ['its exit code'] })],
]
