import { bytes, percent } from '../../format.ts'
import { deleterOf } from '../deleter.ts'
import type { ContainerEnd } from '../ending.ts'
import { memoryShare, nodeOomLine, sawTheEnd } from '../host.ts'
import type { Known } from '../known.ts'
import { isQuietAtEnd, type OomKills, oomKillsOf } from '../oom-kills.ts'
import { type Finding, likely, proven } from '../verdict.ts'
import { killers } from './guest-memory.ts'
import { rule } from './rule.ts'

/** Exit codes above this stand for signals. */
const signalCodesFrom = 128
/** An OOM kill of another container longer ago, followed by a restart, has nothing to do with the end. */
const earlierWithinMs = 10 * 60_000
/** Below this share of the limit in its last seconds, an OOM kill was an older one. */
const farFromLimit = 0.8
/** Samples of a process within this time belong to its end. */
const lastSamplesMs = 3_000
/** Samples come each second, and memory may fill up faster: only a use far below the limit counts. */
const half = 0.5
const moreMemory = [
  'Compare the peak with the limit; raise the memory limit of the pool, or send such jobs to a pool with more.',
  'Do not go by the memory of the whole cluster: each runner lives within its own limit.',
]
const whenKilled =
  'when something in it was killed for memory: the kubelet says OOMKilled also where a child of it was, long before its end'

/** Rules over the kernel's and the kubelet's evidence about memory: both are outside the runner, and may prove. */
export const memoryRules = [
  rule({
    name: 'its node ran out of memory',
    gives: ['node-oom'],
    means: 'The kernel killed it since the whole node had no memory left, not since it was at its own limit.',
    needs: 'A line of the kernel, read by the agent on the node, that names no memory group as the limit.',
    mustNotConclude: 'That the runner used too much: the kernel takes who frees most, not who is to blame.',
    nextSteps: [
      'Look at what else ran on the node then: holdfast explain shows the node.',
      'Let runners request what they use, so that the scheduler does not place too many of them.',
    ],
    proof: {
      rests: 'cluster',
      argument:
        "Only the kernel writes to its log under its own facility, and the agent reads it outside of every pod. The line names a task of this pod's group by the part of the path that no job chooses, and no memory group as the limit; it is from the two seconds of the end, and the end is that of SIGKILL. A kill for memory from longer before, which it survived, does not count.",
    },
    fires: (known) => {
      const line = nodeOomLine(known)
      const isKilled = known.endedBy('SIGKILL', 9) || known.runner?.reason === 'OOMKilled'
      if (line === null || !isKilled || known.ending.exitCode === 0) return null
      return proven('node-oom', `The kernel of its node wrote: "${line}"`, ...limitWords(known))
    },
  }),
  rule({
    name: 'kernel counted an OOM kill',
    gives: ['container-oom', 'guest-oom'],
    means:
      'The kernel killed processes of its group for memory; with SIGKILL the runner itself was one of them.',
    needs:
      'The count of the memory group, above 0, and an end that was not exit code 0. The count has no time: likely at most.',
    mustNotConclude: 'That the whole machine was out of memory, or that a larger limit is the only remedy.',
    nextSteps: moreMemory,
    fires: counted,
  }),
  rule({
    name: 'the kubelet says OOMKilled',
    gives: ['container-oom', 'guest-oom'],
    means: 'The container that runs the job was killed at its memory limit, or a process in it was.',
    needs:
      'The reason OOMKilled of the container, and an end that was not exit code 0; with 137 it was the runner. Proven where the agent on the node saw the kill as it ended.',
    mustNotConclude:
      'That the node or the cluster was out of memory; nor, without the time of the kill, that it was the end.',
    nextSteps: moreMemory,
    proof: {
      rests: 'cluster',
      argument:
        "The kubelet keeps saying OOMKilled for a container whose child was killed long before, so that alone proves nothing. With it, the kernel's own count or line for this pod's groups, read by the agent outside of the pod, is from the two seconds of the end, and the end is that of SIGKILL. What is left is a second SIGKILL in those same two seconds: then memory had still run out in it as it ended.",
    },
    fires: byKubelet,
  }),
  rule({
    name: 'killed after an older kill for memory',
    gives: ['sigkill-unknown'],
    means: 'Something in it was killed for memory and it lived on; what killed it later is not known.',
    needs:
      'SIGKILL and kills for memory, all of them before its end: by the times of kernel and agent, or by how little memory it used at last.',
    mustNotConclude: 'An OOM kill of the runner, although the kubelet still says OOMKilled.',
    nextSteps: [
      'Look for who killed it at its end: kill -9 in the job, a probe, or a grace period that passed.',
      'The older kill is worth a look by itself: a part of its job was at the memory limit.',
    ],
    fires: afterOlder,
  }),
  rule({
    name: 'a container beside it was OOMKilled',
    gives: ['container-oom'],
    means: 'Another container of its pod, such as the Docker daemon, was killed at its memory limit.',
    needs: 'The reason OOMKilled of another container, now or before it was begun again; no exit code 0.',
    mustNotConclude:
      'That the runner used too much memory itself, or that its end must follow from the other.',
    nextSteps: ['Raise the memory limit of the container that is named, not that of the runner.'],
    fires: siblingOom,
  }),
]

function counted(known: Known): Finding | null {
  const { oomKills, exitCode } = known.ending
  if (!oomKills || exitCode === 0) return null
  const sentence = `The kernel killed ${oomKills} process(es) of its group for memory.`
  if (!known.endedBy('SIGKILL', 9)) return ofAnother(known, sentence)
  if (lowAtLast(known) !== null) return null
  const unknown = [
    'whether that kill was its end: the count has no time',
    'whether it was at its own limit, or its machine as a whole was short of memory',
  ]
  return { ...likely('container-oom', sentence, ...limitWords(known), ...stopNote(known)), unknown }
}

function byKubelet(known: Known): Finding | null {
  const { runner, ending } = known
  if (runner?.reason !== 'OOMKilled' || ending.exitCode === 0) return null
  const sentence = `The kubelet says that its container was killed at its memory limit${limitOf(known, runner)}.`
  if (!known.endedBy('SIGKILL', 9)) {
    // The kubelet says so also where only a child was killed, and still when the container ends later.
    return ofAnother(known, `The kubelet saw a kill at its memory limit${limitOf(known, runner)} in it.`)
  }
  const kills = oomKillsOf(known)
  if (kills !== null && kills.atEnd > 0) {
    const when = `The kernel of its node killed ${kills.atEnd} process(es) of it for memory as it ended.`
    return proven('container-oom', sentence, when, ...stopNote(known))
  }
  if (olderOf(known, kills) !== null) return null
  if (kills !== null && kills.inAll === 0 && sawTheEnd(known)) {
    const against = 'The agent on its node saw no such kill up to its end, which does not fit.'
    return { ...likely('container-oom', sentence, against), unknown: ['which of the two is right'] }
  }
  return { ...likely('container-oom', sentence, ...stopNote(known)), unknown: [whenKilled] }
}

function afterOlder(known: Known): Finding | null {
  if (!known.endedBy('SIGKILL', 9) || known.ending.exitCode === 0) return null
  const older = olderOf(known, oomKillsOf(known)) ?? lowAtLast(known)
  if (older === null) return null
  const unknown = [`who sent SIGKILL: ${killers}`]
  return { ...likely('sigkill-unknown', 'SIGKILL ended it.', older, ...stopNote(known)), unknown }
}

/** A sentence about OOM kills that were all before the end; null where one may have been the end. */
function olderOf(known: Known, kills: OomKills | null): string | null {
  if (kills === null || kills.earlierAt === null || kills.atEnd > 0 || kills.untimed > 0) return null
  // cgroup v1 drops a container's count with its cgroup: a count from before the end is not final.
  const share = memoryShare(known)
  const isFar = share !== null && share < farFromLimit
  if (!isQuietAtEnd(known) && !isFar) return null
  const agoS = Math.round((known.ending.endedAt - kills.earlierAt) / 1000)
  const used = isFar ? ` It used ${percent(share)} of its limit at last.` : ''
  const kept = known.runner?.reason === 'OOMKilled' ? ' The kubelet still says OOMKilled for that.' : ''
  return `The kernel killed ${kills.earlier} process(es) of it for memory, the last ${agoS} s before its end; it lived on.${used}${kept}`
}

/** The same sentence for a local process, whose cgroup has a count without times. */
function lowAtLast({ ending }: Known): string | null {
  const { oomKills, memoryLimitBytes: limit, samples, endedAt } = ending
  const last = samples
    .filter(({ at }) => at >= endedAt - lastSamplesMs)
    .map((each) => each.memoryBytes ?? null)
  const known = last.filter((used) => used !== null)
  if (!oomKills || limit === null || limit === 0 || known.length === 0) return null
  const share = Math.max(...known) / limit
  if (share >= half) return null
  return `The kernel killed ${oomKills} process(es) of its group for memory; it used ${percent(share)} of its limit as it ended, so that this was likely an older one.`
}

/** The finding for a kill of a child: the runner's end may follow from it, unless it was asked to stop or crashed. */
function ofAnother(known: Known, sentence: string): Finding | null {
  const { exitCode, signal } = known.ending
  if (deleterOf(known.ending) !== null || signal !== null || (exitCode ?? 0) > signalCodesFrom) return null
  const how = exitCode === null ? 'How the runner itself ended is not known.' : `exit code ${exitCode}`
  const own = exitCode === null ? how : `The runner itself was not killed by it: it ended with ${how}.`
  return likely('guest-oom', sentence, own)
}

/** A sentence about a pending stop: a runner that is asked to stop is killed when it takes too long. */
function stopNote({ ending }: Known): string[] {
  const deleter = deleterOf(ending)
  if (deleter === null) return []
  return [`It had been asked to go as well (by: ${deleter}), and is killed when it does not.`]
}

function siblingOom(known: Known): Finding | null {
  const { pod, ending } = known
  if (pod === null || ending.exitCode === 0 || deleterOf(ending) !== null) return null
  const killed = pod.containers.find((each) => each.name !== 'runner' && isOom(each, ending.endedAt))
  if (killed === undefined) return null
  return likely(
    'container-oom',
    `The kubelet says that its container ${killed.name} was killed at its memory limit${limitOf(known, killed)}.`,
    'That its own end follows from that is likely, and was not observed.',
  )
}

function isOom({ reason, earlier }: ContainerEnd, endedAt: number): boolean {
  if (reason === 'OOMKilled') return true
  return earlier?.reason === 'OOMKilled' && (earlier.finishedAt ?? endedAt) >= endedAt - earlierWithinMs
}

function limitOf({ ending }: Known, { name, limits }: ContainerEnd): string {
  const limit = limits?.memoryBytes ?? (name === 'runner' ? ending.memoryLimitBytes : null)
  return limit === null ? '' : ` of ${bytes(limit)}`
}

function limitWords({ ending }: Known): string[] {
  const { memoryPeakBytes: peak, memoryLimitBytes: limit } = ending
  if (limit === null) return []
  return [
    peak === null ? `Its limit was ${bytes(limit)}.` : `Its peak was ${bytes(peak)} of ${bytes(limit)}.`,
  ]
}
