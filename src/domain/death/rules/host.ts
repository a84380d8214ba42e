import { type ForksRefused, forksRefused } from '../forks-refused.ts'
import {
  isFull,
  leastFree,
  mostProcesses,
  pressedAllMinute,
  STARVED_MS,
  STARVED_PRESSURE,
  tableShare,
} from '../host.ts'
import type { Known } from '../known.ts'
import { isLast, quote } from '../log.ts'
import { type Finding, likely } from '../verdict.ts'
import { bytes, percent, times } from '../words.ts'
import { rule } from './rule.ts'

/** Far from this, a log that speaks of a full table does not fit. */
const TABLE_FAR_FROM_FULL = 0.7
const DISK_FULL_BYTES = 16 * 2 ** 20
const INODES_FULL = 100
/** Vitals are due each 3 s; the forge expects a sign of life each minute. */
const VITALS_GAP_MS = STARVED_MS

/** What its machine was short of. An end by a signal was judged before: these explain the others. */
export const hostRules = [
  rule({
    name: 'the file table of its node was full',
    gives: ['host-file-table'],
    means: 'The whole machine had as many files open as it may (ENFILE), whoever opened them.',
    needs:
      'ENFILE or "file table overflow" in the log, or the agent saw the table full. Likely at most: a job can print it.',
    mustNotConclude:
      'A failure of the application, or of this runner alone. EMFILE is another thing: one process.',
    nextSteps: [
      'On the node read /proc/sys/fs/file-nr and file-max, before anything is deleted.',
      'Let package managers do less at once; do not put more runners on the node. Repeat the job once.',
    ],
    fires: fileTable,
  }),
  rule({
    name: 'one process had too many files open',
    gives: ['process-file-table'],
    means: 'A process reached its own limit of open files (EMFILE).',
    needs: 'EMFILE or "Too many open files" in the log, and no sign of a full table of the machine.',
    mustNotConclude: 'That the node is at its limit: this one is the limit of a process.',
    nextSteps: [
      'Raise the limit of open files (nofile) of the container runtime, or let the job open fewer.',
    ],
    fires: (known) =>
      known.isOpen && isLast(known.log, 'openFiles', 'inOrder')
        ? likely('process-file-table', endWords(known), quote(known.log, 'openFiles'))
        : null,
  }),
  rule({
    name: 'it could start no more processes',
    gives: ['pids-limit'],
    means:
      'Something in the runner could start no more processes or threads: the limit of its pod or of its user.',
    needs:
      'The agent saw the kernel refuse a process in its last half minute, or its log has lines about a fork or a thread that was refused; and no exit code 0. Likely: a job can print them, and who is refused a process may live on and end for another reason.',
    mustNotConclude:
      'That its memory was short, or that its node had no process ids left: then the kubelet would evict.',
    nextSteps: [
      'Look at podPidsLimit of the kubelet and at how many processes the job starts at once; raise the one, or lower the other.',
    ],
    fires: noProcess,
  }),
  rule({
    name: 'the disk was full',
    gives: ['disk-full'],
    means: 'Something could not be written since no space or no inodes were left.',
    needs: '"No space left on device" or ENOSPC in the log, or the agent saw the disk of the node full.',
    mustNotConclude:
      'Which disk: the log does not say whether it was that of the node or a volume of the pod.',
    nextSteps: [
      'Look at the disk of the node and at the volumes of the pod; clean caches, or give the pool more.',
    ],
    fires: diskFull,
  }),
  rule({
    name: 'it lost the network',
    gives: ['network-discontinuity'],
    means: 'The runner could not reach the forge any more while it ran, or its node had no network.',
    needs:
      'A connection error as its last word to the forge, or a node without network or connections to spare.',
    mustNotConclude: 'That the forge was down: see whether runners on other nodes went on.',
    nextSteps: [
      'See whether others on the same node lost it at the same time; look at the network plugin there.',
    ],
    fires: network,
  }),
  rule({
    name: 'it got no processor time',
    gives: ['starved'],
    means:
      'The runner wanted processor time for longer than the forge waits for a sign of life, and got too little.',
    needs:
      'Pressure on its processors for its whole last minute, or a gap in its vitals; a job that the forge may have given up; no other sign.',
    mustNotConclude:
      'A broken network or a crash. It is likely at most: being pressed is not yet dying of it.',
    nextSteps: ['Raise the CPU request of the pool, or place fewer runners on a node.'],
    fires: starved,
  }),
]

function fileTable(known: Known): Finding | null {
  if (!known.isOpen) return null
  const { log } = known
  const share = tableShare(known, 'nodeFilesOpen', 'nodeFilesMax')
  const seen = share === null ? [] : [`The agent saw the file table of its node ${percent(share)} full.`]
  if (log.fileTable === undefined) {
    return isFull(share) ? likely('host-file-table', ...seen, endWords(known)) : null
  }
  if (share !== null && share < TABLE_FAR_FROM_FULL) return null
  const said = quote(log, 'fileTable')
  return likely('host-file-table', said, ...seen)
}

/** The kernel's count says that it was refused one, never that it died of that: a shell waits and tries again. */
function noProcess(known: Known): Finding | null {
  if (!known.isOpen) return null
  const refused = forksRefused(known)
  const said = isLast(known.log, 'noProcess', 'inOrder') ? [quote(known.log, 'noProcess')] : []
  const isSeen = refused !== null && refused.atEnd > 0
  if (!isSeen && said.length === 0) return null
  const counted = refused === null ? [] : [refusedWords(refused, known)]
  return likely('pids-limit', endWords(known), ...counted, ...said, ...processWords(known))
}

function refusedWords({ atEnd, earlier, earlierAt, limit }: ForksRefused, { ending }: Known): string {
  const most = limit === null ? '' : `, with a limit of ${limit}`
  if (atEnd > 0) {
    return `The kernel refused it a process or thread ${times(atEnd)} in its last half minute${most}.`
  }
  if (earlierAt !== null) {
    const ago = Math.round((ending.endedAt - earlierAt) / 1000)
    return `The kernel refused it a process or thread ${times(earlier)}, but ${ago} s and more before its end${most}.`
  }
  return `The agent saw no process refused by the limit of its pod${most}: if so, it was a limit of its user or of a group inside.`
}

/** How many the agent saw in its last half minute. */
function processWords(known: Known): string[] {
  const most = mostProcesses(known)
  return most === null ? [] : [`The agent saw up to ${most} processes and threads in it at last.`]
}

function diskFull(known: Known): Finding | null {
  if (!known.isOpen) return null
  const { log } = known
  const free = leastFree(known, 'nodeDiskFreeBytes')
  const inodes = leastFree(known, 'nodeInodesFree')
  const seen = [
    ...(free !== null && free < DISK_FULL_BYTES
      ? [`The agent saw ${bytes(free)} free on the disk of its node.`]
      : []),
    ...(inodes !== null && inodes < INODES_FULL ? [`The agent saw ${inodes} inodes free on its node.`] : []),
  ]
  if (log.diskFull === undefined) {
    return seen.length === 0 ? null : likely('disk-full', ...seen, endWords(known))
  }
  const said = quote(log, 'diskFull')
  if (seen.length > 0) return likely('disk-full', ...seen, said)
  if (free === null) return likely('disk-full', said)
  const elsewhere = `The disk of its node had ${bytes(free)} free: if so, it was a volume or limit of its own.`
  return likely('disk-full', said, elsewhere)
}

function network(known: Known): Finding | null {
  if (!known.isOpen) return null
  const { log, pod } = known
  const conntrack = tableShare(known, 'nodeConntrack', 'nodeConntrackMax')
  const down = pod?.nodeAtEnd?.conditions.find(
    ({ type, status }) => type === 'NetworkUnavailable' && status === 'True',
  )
  const event = pod?.events.findLast(({ reason }) => reason === 'NetworkNotReady')
  const because = [
    ...(down === undefined
      ? []
      : [`Its node had no network: ${down.message ?? down.reason ?? 'no more is said'}`]),
    ...(event === undefined ? [] : [`Its node said: ${event.message}`]),
    ...(isFull(conntrack) ? ['The agent saw the table of connections of its node full.'] : []),
    ...(isLast(log, 'connectError', 'reconnected', 'jobResult', 'inOrder')
      ? [quote(log, 'connectError')]
      : []),
  ]
  return because.length === 0 ? null : likely('network-discontinuity', ...because)
}

function starved(known: Known): Finding | null {
  if (!mayBeGivenUp(known)) return null
  const pressure = pressedAllMinute(known)
  if (pressure !== null) {
    if (pressure < STARVED_PRESSURE) return null
    const said = `The agent saw the pressure on its processors at ${pressure} % or more for its whole last minute.`
    return likely('starved', said, endWords(known))
  }
  const gap = longestGapMs(known)
  if (gap < VITALS_GAP_MS) return null
  return likely(
    'starved',
    `Its own vitals, due each 3 s, stopped for ${Math.round(gap / 1000)} s.`,
    'Only its own output says so, which its job can write.',
  )
}

/** A busy build is pressed too: only where the forge may have given it up, or nobody saw its end, is that a reason. */
function mayBeGivenUp({ ending, forge }: Known): boolean {
  if (ending.startedAt === null || ending.signal !== null) return false
  return ending.exitCode === null || forge === 'lost' || forge === 'unclear'
}

function longestGapMs({ vitals }: Known): number {
  let longest = 0
  for (const [index, { at }] of vitals.entries()) {
    const before = vitals[index - 1]
    if (before !== undefined) longest = Math.max(longest, at - before.at)
  }
  return longest
}

function endWords({ ending: { exitCode } }: Known): string {
  return exitCode === null ? 'Its exit code is not known.' : `It ended with exit code ${exitCode}.`
}
