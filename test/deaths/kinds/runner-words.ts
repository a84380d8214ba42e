import type { DeathClass } from '../../../src/domain/death/index.ts'
import { addresses } from '../../cluster/index.ts'
import { until } from '../../cluster/machine/until.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { launched, saying, shell } from './programs.ts'

/** Longer than the forge of the tests waits for a silent runner, and shorter than Holdfast for one without a job. */
const givenUpSeconds = 12
const listening = '2026-11-16 03:00:00Z: Listening for Jobs'
/** Long enough that its registration is deleted before it asks. */
const heldBackSeconds = 6
const mintedWithinMs = 60_000
/** As GitHub's launcher does with a code that it does not know. */
const hidesTheCode = 'echo "Exiting with unknown error code: $?"; echo "Exiting runner..."; exit 0'
/** A shell that it starts kills itself. Kubernetes makes one dollar of two. */
const killsItsChild = `require('node:child_process').execSync('kill -9 $$$$')`
/** The API server's certificate is from an authority of the cluster, which no image knows. */
const asksOverTls = `require('node:https').get('https://${addresses.service}/')`

/**
 * What GitHub's runner and its launcher write, and the code that they end with then. Only for what cannot be caused:
 * it would take GitHub, or a file table of the whole machine that is really full.
 */
const words: readonly (readonly [
  name: string,
  how: string,
  gives: readonly DeathClass[],
  code: number,
  ...lines: readonly string[],
])[] = [
  [
    ...(['version-refused', 'the listener is too old, as its launcher says: exit code 0'] as const),
    ['runner-outdated'],
    0,
    listening,
    'Runner version v2.200.0 is deprecated and cannot receive messages.',
    'Runner listener exit with deprecated version error code: 7, exit code 0',
  ],
  [
    ...(['version-refused-7', 'the listener is too old: exit code 7'] as const),
    ['runner-outdated'],
    7,
    'An error occurred: Runner version v2.200.0 is deprecated and cannot receive messages.',
  ],
  [
    ...(['job-taken-back', 'the job was cancelled before it was fetched: exit code 0'] as const),
    ['clean'],
    0,
    listening,
    'Skipping message Job. Job message not found. No further action needed.',
    'Runner listener exit with 0 return code, stop the service, no retry needed.',
  ],
  [...(['listener-code-1', 'the listener ends with 1, without a word'] as const), ['failed'], 1, listening],
  [
    ...([
      'enfile',
      'the log speaks of a full file table of the machine, and the runner ends with 1',
    ] as const),
    ['host-file-table'],
    1,
    "npm error ENFILE: file table overflow, open '/home/runner/.npm/_cacache/tmp/1'",
  ],
]

export const runnerWordKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'clean',
    how: 'the job succeeds, and the forge agrees',
    classes: ['clean'],
    cause: (stage) => stage.begun('sleep 1'),
  },
  {
    name: 'clean-job-failed',
    how: 'the job fails its own tests, and the runner reports that: not a death',
    classes: ['clean'],
    cause: (stage) => stage.begun('sleep 1; exit 1'),
  },
  {
    name: 'exit-0-job-open',
    how: 'the runner is killed and its launcher ends with 0: nobody says how the job ended',
    classes: ['completion-handshake', 'unknown', 'clean'],
    pool: (stage) => launched(stage, 'exit 0'),
    cause: (stage) => stage.running('sleep 1; kill -9 $PPID; sleep 60'),
    holds: ({ class: found, confidence }) =>
      found === 'clean' && confidence !== 'unknown'
        ? `clean, and ${confidence}, without a word for it`
        : null,
  },
  {
    name: 'forge-disagrees',
    staged: 'last-words',
    how: 'the runner dies unheard and the forge says failure; its launcher says "Succeeded" after that, and ends with 0',
    classes: ['completion-handshake'],
    pool: (stage) =>
      launched(stage, `sleep ${givenUpSeconds}; echo "Job build completed with result: Succeeded"; exit 0`),
    cause: (stage) => stage.running('sleep 1; kill -9 $PPID; sleep 60'),
  },
  {
    name: 'session-conflict',
    how: 'two runners use the same configuration at once, and the second is refused: exit code 5',
    classes: ['session-conflict'],
    pool: ({ runnerCommand }) => ({
      command: [
        ...['sh', '-c'],
        'for last; do :; done; cat "$last" > one; cp one two; n=$1 w=$2 m=$3; "$n" "$w" "$m" --jitconfig-file one > first 2>&1 & sleep 3; exec "$n" "$w" "$m" --jitconfig-file two',
        ...['sh', ...runnerCommand],
      ],
    }),
    cause: (stage) => stage.begun('sleep 60'),
  },
  {
    name: 'emfile',
    how: 'a program with too small a limit of open files fails, and the runner ends with its code',
    classes: ['process-file-table'],
    pool: () => shell('ulimit -n 6; exec 3< /etc/passwd 4< /etc/group 5< /etc/passwd 6< /etc/group; exit 1'),
    cause: (stage) => stage.begun(),
  },
  {
    name: 'registration-deleted',
    how: 'its registration is deleted at the forge before it opens its session: refused, exit code 1',
    classes: ['runner-deregistered'],
    pool: ({ runnerCommand }) => ({
      command: ['sh', '-c', `sleep ${heldBackSeconds}; exec "$@"`, 'sh', ...runnerCommand],
    }),
    cause: async (stage) => {
      const name = await stage.begun('sleep 1')
      await until(`${name} is registered`, mintedWithinMs, async () => {
        const registered = await stage.ledger.registeredAs(name)
        return registered !== undefined && stage.world.forge.removeRunner(registered)
      })
      return name
    },
  },
  {
    name: 'hidden-crash',
    how: 'the runner is ended by SIGSEGV as it begins, and its launcher makes 0 of exit code 139',
    staged: 'last-words',
    classes: ['crash'],
    pool: ({ runnerCommand }) => ({
      command: ['sh', '-c', `"$@" & kill -SEGV $!; wait $!; ${hidesTheCode}`, 'sh', ...runnerCommand],
    }),
    cause: (stage) => stage.begun(),
  },
  {
    name: 'signal-9-in-build',
    how: 'a program that it started is killed by SIGKILL; it says so, and ends with 1',
    classes: ['sigkill-unknown', 'guest-oom'],
    pool: ({ runnerCommand: [node = ''] }) => ({ command: [node, '-e', killsItsChild, '--'] }),
    cause: (stage) => stage.begun(),
  },
  {
    name: 'certificate-not-trusted',
    how: 'it asks a server over TLS whose authority it does not know, fails, and ends with 1',
    classes: ['failed'],
    pool: ({ runnerCommand: [node = ''] }) => ({ command: [node, '-e', asksOverTls, '--'] }),
    cause: (stage) => stage.begun(),
    holds: ({ rule }) => (rule === 'a certificate was not trusted' ? null : `judged by "${rule}"`),
  },
  ...words.map(
    ([name, how, classes, code, ...lines]): DeathKind<PodStage> => ({
      name,
      how,
      classes,
      staged: 'words',
      pool: () => saying(lines, code),
      cause: (stage) => stage.begun(),
    }),
  ),
]
