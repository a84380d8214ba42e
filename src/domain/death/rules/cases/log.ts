import { aHostSamples, aJobAtEnd, aPodEnd, endedAt } from '../../testing.ts'
import { exit, type RuleCase } from './case.ts'

const says = (exitCode: number | null, ...lines: readonly string[]) => ({
  ending: { exitCode, tail: `${lines.join('\n')}\n` },
})
const stamp = (seconds: number) => new Date(endedAt - 200_000 + seconds * 1000).toISOString()
const vitals = (...at: readonly number[]) => says(null, ...at.map((s) => `${stamp(s)} RUNNER_VITALS load1=9`))
const running = '2026-11-16 03:00:00Z: Running job: build'

/** For tests: what the runner's program and the job wrote. */
export const logCases: readonly RuleCase[] = [
  {
    rule: 'its supervisor was killed',
    fires: { ending: { exitCode: null, supervisor: 'killed' } },
    class: 'sigkill-unknown',
    confidence: 'likely',
    not: { ending: { exitCode: null } },
    otherwise: 'unknown',
  },
  {
    rule: 'its session was taken by another',
    fires: says(0, 'A session for this runner already exists.'),
    class: 'session-conflict',
    confidence: 'likely',
    not: says(0, 'A session for this runner already exists.', '2026-11-16 03:00:00Z: Runner reconnected.'),
    otherwise: 'clean',
  },
  {
    rule: 'its registration was deleted',
    fires: says(0, 'The runner registration has been deleted from the server, please re-configure.'),
    class: 'runner-deregistered',
    confidence: 'likely',
    not: says(0, 'The runner registration is in order.'),
    otherwise: 'clean',
  },
  {
    rule: 'its version was refused',
    fires: says(7, 'Runner version v2.300.0 is deprecated and cannot receive messages.'),
    class: 'runner-outdated',
    confidence: 'likely',
    not: says(7, 'Runner version v2.300.0 it is.'),
    otherwise: 'failed',
  },
  {
    rule: 'its job was taken back before it fetched it',
    fires: says(0, "Job message not found '42'."),
    class: 'clean',
    confidence: 'likely',
    not: says(0, "Job message not found '42'.", running),
    otherwise: 'clean',
  },
  {
    rule: 'its launcher hid an exit code',
    fires: says(0, running, 'Exiting with unknown error code: 139'),
    class: 'crash',
    confidence: 'likely',
    not: says(0, running, 'Exiting'),
    otherwise: 'clean',
  },
  {
    rule: 'the file table of its node was full',
    fires: says(1, 'Error: spawn ps ENFILE'),
    class: 'host-file-table',
    confidence: 'likely',
    not: { ...says(1, 'Error: spawn ps ENFILE'), ring: aHostSamples() },
    otherwise: 'failed',
  },
  {
    rule: 'one process had too many files open',
    fires: says(1, 'Error: EMFILE: too many open files'),
    class: 'process-file-table',
    confidence: 'likely',
    not: says(0, 'Error: EMFILE: too many open files'),
    otherwise: 'clean',
  },
  {
    rule: 'it could start no more processes',
    fires: says(1, "sh: can't fork: Resource temporarily unavailable"),
    class: 'pids-limit',
    confidence: 'likely',
    not: says(1, 'read: Resource temporarily unavailable'),
    otherwise: 'failed',
  },
  {
    rule: 'the disk was full',
    fires: says(1, 'write /tmp/x: no space left on device'),
    class: 'disk-full',
    confidence: 'likely',
    not: says(1, 'write /tmp/x: space left on device'),
    otherwise: 'failed',
  },
  {
    rule: 'it lost the network',
    fires: says(1, '2026-11-16 03:00:00Z: Runner connect error: refused. Retrying until reconnected.'),
    class: 'network-discontinuity',
    confidence: 'likely',
    not: says(
      1,
      '2026-11-16 03:00:00Z: Runner connect error: refused. Retrying until reconnected.',
      '2026-11-16 03:01:00Z: Runner reconnected.',
    ),
    otherwise: 'failed',
  },
  {
    rule: 'it got no processor time',
    fires: vitals(0, 3, 93, 96),
    class: 'starved',
    confidence: 'likely',
    not: vitals(0, 3, 6, 9),
    otherwise: 'unknown',
  },
  {
    rule: 'signal 9 killed a part of its job',
    fires: says(1, "error: builder for '/nix/store/x.drv' failed due to signal 9 (Killed)"),
    class: 'sigkill-unknown',
    confidence: 'likely',
    not: says(1, "error: builder for '/nix/store/x.drv' failed with exit code 9"),
    otherwise: 'failed',
  },
  {
    rule: 'a certificate was not trusted',
    fires: says(1, 'npm ERR! code UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
    class: 'failed',
    confidence: 'likely',
    not: says(1, 'npm ERR! code ENOENT'),
    otherwise: 'failed',
  },
]

const late = { heardAt: endedAt + 600_000 }

/** For tests: signals and exit codes. */
export const signalCases: readonly RuleCase[] = [
  {
    rule: 'ended by SIGTERM',
    fires: { ending: { ...exit(143), signal: 'SIGTERM', pod: aPodEnd() } },
    class: 'terminated',
    confidence: 'proven',
    not: { ending: exit(142) },
    otherwise: 'failed',
    impostor: {
      how: 'its launcher ends with 143 by itself',
      facts: { ending: { ...exit(143), pod: aPodEnd() } },
      class: 'terminated',
    },
  },
  {
    rule: 'ended by SIGKILL without a memory sign',
    fires: { ending: exit(137) },
    class: 'sigkill-unknown',
    confidence: 'likely',
    not: { ending: exit(136) },
    otherwise: 'crash',
  },
  {
    rule: 'ended by a fault signal',
    fires: { ending: { signal: 'SIGSEGV', pod: aPodEnd() } },
    class: 'crash',
    confidence: 'proven',
    not: { ending: { signal: 'SIGHUP' } },
    otherwise: 'unknown',
    impostor: {
      how: 'its launcher ends with 139 by itself',
      facts: { ending: { ...exit(139), pod: aPodEnd() } },
      class: 'crash',
    },
  },
]

export const exitCodeCases: readonly RuleCase[] = [
  {
    rule: 'the forge lost its job',
    fires: { ending: exit(0), job: aJobAtEnd(late) },
    class: 'completion-handshake',
    confidence: 'likely',
    not: { ending: exit(0), job: aJobAtEnd() },
    otherwise: 'clean',
  },
  {
    rule: 'exit code 0',
    fires: { ending: exit(0) },
    class: 'clean',
    confidence: 'unknown',
    not: { ending: exit(1) },
    otherwise: 'failed',
  },
  {
    rule: 'its log ends with its job done',
    fires: says(null, running, '2026-11-16 03:10:00Z: Job build completed with result: Succeeded'),
    class: 'clean',
    confidence: 'likely',
    not: says(null, '2026-11-16 03:10:00Z: Job build completed with result: Succeeded', running),
    otherwise: 'unknown',
  },
  {
    rule: 'the exit code of a wrong set-up',
    fires: { ending: exit(127) },
    class: 'config-error',
    confidence: 'likely',
    not: { ending: exit(125) },
    otherwise: 'failed',
  },
  {
    rule: 'another exit code',
    fires: { ending: exit(3) },
    class: 'failed',
    confidence: 'likely',
    not: {},
    otherwise: 'unknown',
  },
]
