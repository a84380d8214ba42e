import { bytes, percent, times } from '../../format.ts'
import { type ForksRefused, forksRefused } from '../forks-refused.ts'
import {
  isFull,
  leastFree,
  mostProcesses,
  pressedAllMinute,
  starvedMs,
  starvedPressure,
  tableShare,
} from '../host.ts'
import type { Known } from '../known.ts'
import { isLast, quote } from '../log.ts'
import { type Finding, likely } from '../verdict.ts'
import { rule } from './rule.ts'

/** Below this fill level, a log that speaks of a full table does not fit. */
const tableFarFromFull = 0.7
const diskFullBytes = 16 * 2 ** 20
const inodesFull = 100
/** Vitals are due each 3 s; the forge expects a lease renewal each minute. */
const vitalsGapMs = starvedMs

/** Rules for a machine that ran short of something. Ends by a signal are judged before these. */
export const hostRules = [
  rule({
    name: 'the file table of its node was full',
    gives: ['host-file-table'],
    means: 'The whole machine had as many files open as it may (ENFILE), of whatever process.',
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
      'A connection error to the forge as its last line, or a node without network or with a full connection table.',
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
  const observed = share === null ? [] : [`The agent saw the file table of its node ${percent(share)} full.`]
  if (log.fileTable === undefined) {
    return isFull(share) ? likely('host-file-table', ...observed, endWords(known)) : null
  }
  if (share !== null && share < tableFarFromFull) return null
  const sentence = quote(log, 'fileTable')
  return likely('host-file-table', sentence, ...observed)
}

/** The kernel's count shows a refused process, never that the runner died of it: a shell waits and retries. */
function noProcess(known: Known): Finding | null {
  if (!known.isOpen) return null
  const refused = forksRefused(known)
  const sentence = isLast(known.log, 'noProcess', 'inOrder') ? [quote(known.log, 'noProcess')] : []
  const isSeen = refused !== null && refused.atEnd > 0
  if (!isSeen && sentence.length === 0) return null
  const counted = refused === null ? [] : [refusedWords(refused, known)]
  return likely('pids-limit', endWords(known), ...counted, ...sentence, ...processWords(known))
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

/** A sentence about the number of processes in its last half minute. */
function processWords(known: Known): string[] {
  const most = mostProcesses(known)
  return most === null ? [] : [`The agent saw up to ${most} processes and threads in it at last.`]
}

function diskFull(known: Known): Finding | null {
  if (!known.isOpen) return null
  const { log } = known
  const free = leastFree(known, 'nodeDiskFreeBytes')
  const inodes = leastFree(known, 'nodeInodesFree')
  const observed = [
    ...(free !== null && free < diskFullBytes
      ? [`The agent saw ${bytes(free)} free on the disk of its node.`]
      : []),
    ...(inodes !== null && inodes < inodesFull ? [`The agent saw ${inodes} inodes free on its node.`] : []),
  ]
  if (log.diskFull === undefined) {
    return observed.length === 0 ? null : likely('disk-full', ...observed, endWords(known))
  }
  const sentence = quote(log, 'diskFull')
  if (observed.length > 0) return likely('disk-full', ...observed, sentence)
  if (free === null) return likely('disk-full', sentence)
  const elsewhere = `The disk of its node had ${bytes(free)} free: if so, it was a volume or limit of its own.`
  return likely('disk-full', sentence, elsewhere)
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
    if (pressure < starvedPressure) return null
    const sentence = `The agent saw the pressure on its processors at ${pressure} % or more for its whole last minute.`
    return likely('starved', sentence, endWords(known))
  }
  const gap = longestGapMs(known)
  if (gap < vitalsGapMs) return null
  return likely(
    'starved',
    `Its own vitals, due each 3 s, stopped for ${Math.round(gap / 1000)} s.`,
    'Only its own output says so, which its job can write.',
  )
}

/** A busy build has CPU pressure too: it is a cause only where the forge may have given the job up, or nobody saw the end. */
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
