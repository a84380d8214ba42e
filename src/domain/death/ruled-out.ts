import { bytes, percent } from '../format.ts'
import {
  blindMs,
  isFull,
  leastFree,
  memoryShare,
  pressedAllMinute,
  sawTheEnd,
  starvedPressure,
  tableShare,
} from './host.ts'
import type { Known } from './known.ts'
import { oomKillsOf } from './oom-kills.ts'
import { rebootWords } from './reboot.ts'
import type { DeathClass } from './record.ts'

const ofMemory: ReadonlySet<DeathClass> = new Set([
  'container-oom',
  'guest-oom',
  'node-oom',
  'evicted-memory',
])
const ofDisk: ReadonlySet<DeathClass> = new Set([
  ...(['disk-full', 'evicted-disk', 'evicted-ephemeral-storage', 'evicted-inodes'] as const),
])
const ofCluster: ReadonlySet<DeathClass> = new Set([
  ...(['evicted', 'evicted-memory', 'evicted-disk', 'evicted-ephemeral-storage', 'evicted-inodes'] as const),
  ...(['evicted-pid', 'preempted', 'node-drained', 'node-lost', 'deadline-exceeded'] as const),
])
const notStarted: ReadonlySet<DeathClass> = new Set([
  ...(['image-pull', 'config-error', 'sandbox-failed', 'never-started'] as const),
])
const plentyBytes = 2 ** 30
const tableCalm = 0.9

/** Causes that the data rules out, each with how that is known; none without data. */
export function ruledOutOf(known: Known, deathClass: DeathClass): readonly string[] {
  if (deathClass === 'clean' || known.ending.startedAt === null) return []
  return [
    ...(ofMemory.has(deathClass) ? [] : notMemory(known)),
    ...(ofCluster.has(deathClass) ? [] : notCluster(known, deathClass)),
    ...(ofDisk.has(deathClass) ? [] : notDisk(known)),
    ...(deathClass === 'host-file-table' ? [] : notFileTable(known)),
    ...(deathClass === 'starved' ? [] : notStarved(known)),
  ]
}

/** Evidence that is missing and would say more about the end. */
export function unknownOf(known: Known, deathClass: DeathClass): readonly string[] {
  const { ending, pod, ring, job } = known
  const missing = ending.missing.map((what) => `not read: ${what}`)
  if (deathClass === 'clean' || notStarted.has(deathClass)) return missing
  const age = blindMs(known)
  const blind = ring !== null && !sawTheEnd(known)
  return [
    ...missing,
    ...(ring === null ? ['what its machine saw from outside: no agent sent anything about it'] : []),
    ...(blind
      ? [`its last ${age === null ? 'seconds' : `${Math.ceil(age / 1000)} s`}: the agent saw nothing of them`]
      : []),
    ...(ring?.missing ?? []).map((what) => `not read by the agent: ${what}`),
    ...(pod !== null && pod.nodeAtEnd === null && pod.place.node !== null
      ? ['how its node was at its end']
      : []),
    ...(job !== null && job.forgeStatus === null ? ['what the forge says about its job'] : []),
  ]
}

function notMemory(known: Known): string[] {
  const { ending, runner } = known
  const share = memoryShare(known)
  const { oomKills, memoryPeakBytes: peak, memoryLimitBytes: limit } = ending
  const found: string[] = []
  if (oomKills === 0) found.push('not an OOM kill: the kernel counted none in its group')
  else if (oomKillsOf(known)?.inAll === 0 && sawTheEnd(known)) {
    found.push('not an OOM kill on its node: the kernel there counted none in its groups up to the end')
  } else if (runner?.state === 'terminated' && runner.reason === 'Error') {
    found.push('not an OOM kill of its container: the kubelet says Error, not OOMKilled')
  }
  if (peak !== null && limit !== null && peak < limit / 2) {
    found.push(`not its memory limit: its peak was ${bytes(peak)} of ${bytes(limit)}`)
  } else if (share !== null && share < 0.5) {
    found.push(`not its memory limit: it used ${percent(share)} of it at last`)
  }
  return found
}

function notCluster(known: Known, deathClass: DeathClass): string[] {
  const { pod, ending, isEndMadeUp } = known
  if (pod === null || pod.disruption !== null || pod.reason !== null) return []
  const ready = pod.nodeAtEnd?.conditions.find(({ type }) => type === 'Ready')
  return [
    'not evicted, drained or preempted: its pod has no mark of that',
    ...(pod.deletedAt === null && deathClass !== 'deleted'
      ? ['not deleted: nobody had asked its pod to go']
      : []),
    // A node that turned ready after the runner started was away in between; a made-up end says little about its node.
    ...(!isEndMadeUp &&
    rebootWords(known) === null &&
    ready?.status === 'True' &&
    (ready.at ?? Number.POSITIVE_INFINITY) <= (ending.startedAt ?? 0)
      ? [`not a lost node: ${pod.place.node} was ready all the time`]
      : []),
  ]
}

function notDisk(known: Known): string[] {
  const free = leastFree(known, 'nodeDiskFreeBytes')
  if (free === null || free < plentyBytes) return []
  return [`not a full disk of its node: at least ${bytes(free)} were free`]
}

function notFileTable(known: Known): string[] {
  const share = tableShare(known, 'nodeFilesOpen', 'nodeFilesMax')
  if (share === null || isFull(share) || share > tableCalm) return []
  return [`not a full file table of its node: ${percent(share)} at most`]
}

function notStarved(known: Known): string[] {
  const pressure = pressedAllMinute(known)
  if (pressure === null || pressure >= starvedPressure) return []
  return [`not starved: the pressure on its processors fell to ${pressure} % within its last minute`]
}
