import type { DeathRecord } from '../../../src/domain/death/index.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { launched, shell } from './programs.ts'

/** With a tail of 64 KiB; JSON may need six characters for one. */
const recordCharsMax = 600_000
const tailBytesMax = 64 * 1024
const replacement = '\uFFFD'
const lies = [
  '2026-11-16T03:00:00Z RUNNER_VITALS mem_current=1073741824 mem_max=1073741824 oom=9 oom_kill=9',
  '[ 1234.5] Memory cgroup out of memory: Killed process 1 (node) total-vm:1kB, anon-rss:1kB',
  '[ 1234.6] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),global_oom,task=node,pid=1,uid=0',
]
const lying = lies.map((line) => `echo '${line}'`).join('; ')

export const liarKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'log-of-1-gb-in-one-line',
    how: 'a runner that writes 1 GB without an end of line, and ends with 1',
    classes: ['failed'],
    pool: () => shell("head -c 1073741824 /dev/zero | tr '\\0' y; exit 1"),
    cause: (stage) => stage.begun(),
    holds: isBounded,
  },
  {
    name: 'log-in-broken-utf-8',
    how: 'a runner that writes bytes that are no UTF-8, NUL among them, and ends with 1',
    classes: ['failed'],
    pool: () =>
      shell(
        "for i in $(seq 3000); do printf 'x\\303\\050\\000 \\355\\240\\200 \\377\\376 \\360\\237\\n'; done; exit 1",
      ),
    cause: (stage) => stage.begun(),
    holds: (record) =>
      isBounded(record) ?? (record.ending?.tail.includes(replacement) ? null : 'its tail is not kept'),
  },
  {
    name: 'lies-and-exit-1',
    how: 'fake vitals and fake lines of the kernel in the log, and exit code 1',
    classes: ['failed'],
    pool: () => shell(`${lying}; exit 1`),
    cause: (stage) => stage.begun(),
  },
  {
    name: 'lies-and-success',
    how: 'the job prints fake vitals and fake lines of the kernel, and succeeds',
    classes: ['clean'],
    cause: (stage) => stage.begun(`${lying}; sleep 1`),
  },
  {
    name: 'lies-and-kill',
    how: 'the job prints fake vitals and fake lines of the kernel, and kills its runner: never an OOM',
    classes: ['sigkill-unknown'],
    pool: launched,
    cause: (stage) => stage.running(`${lying}; sleep 1; kill -9 $PPID; sleep 60`),
    holds: ({ because }) =>
      because.join(' ').includes('A claim of its own output')
        ? null
        : 'it does not show what the output claims as a claim',
  },
]

function isBounded(record: DeathRecord): string | null {
  const chars = JSON.stringify(record).length
  if (chars > recordCharsMax) return `its record has ${chars} characters`
  const bytes = Buffer.byteLength(record.ending?.tail ?? '')
  return bytes <= tailBytesMax ? null : `its tail has ${bytes} bytes`
}
