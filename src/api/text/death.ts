import type { DeathClass } from '../../domain/death/index.ts'
import type { ApiDeath } from '../contracts/job-file.ts'

/** The meaning of each class for the runner's job. */
export const deathWords: Readonly<Record<DeathClass, string>> = {
  clean: 'its runner ended by itself, in order',
  'completion-handshake': 'its runner ended in order, and its report did not reach the forge',
  'forge-gave-up': 'the forge gave its runner up, which lived on',
  'runner-deregistered': 'its runner was no longer registered at the forge',
  'session-conflict': 'its runner found its session taken by another one',
  'runner-outdated': 'its runner was too old for the forge',
  'container-oom': 'its runner ran out of memory',
  'guest-oom': 'something in its runner ran out of memory',
  'node-oom': "its runner's node ran out of memory",
  evicted: 'its runner was put off its node',
  'evicted-memory': 'its runner was put off its node, which was short of memory',
  'evicted-disk': 'its runner was put off its node, which was short of disk space',
  'evicted-ephemeral-storage': 'its runner wrote more to disk than it may',
  'evicted-inodes': 'its runner was put off its node, which was short of inodes',
  'evicted-pid': 'its runner was put off its node, which was short of process ids',
  preempted: 'its runner had to make room for something more important',
  'node-drained': 'its runner was on a node that somebody emptied',
  'node-lost': "its runner's node was lost",
  'host-lost': 'the machine or cluster of its runner was lost',
  'deadline-exceeded': 'its runner took longer than its pod may',
  'job-deadline': 'it ran for longer than its pool allows',
  terminated: 'its runner was asked to stop',
  deleted: "its runner's pod was deleted by somebody",
  'sigkill-unknown': 'its runner was killed',
  crash: 'its runner crashed',
  'probe-failed': 'the kubelet killed its runner for a probe that failed',
  'hook-failed': 'a hook of its runner failed, and the kubelet killed it for that',
  'pids-limit': 'its runner could start no more processes',
  'host-file-table': "the file table of its runner's node was full",
  'process-file-table': 'its runner had too many files open',
  'disk-full': 'its runner found the disk full',
  starved: 'its runner got no processor time',
  'network-discontinuity': 'its runner lost the network',
  failed: 'its runner failed',
  'image-pull': 'the image of its runner could not be pulled',
  'config-error': 'its runner could not be set up as its pool asks',
  'sandbox-failed': "its runner's node could not set up its pod",
  'never-started': 'its runner never started',
  vanished: 'its runner vanished',
  unknown: 'its runner ended for an unknown reason',
}

/** How a runner ended, in words: what, how sure, on what grounds. */
export function deathText(death: ApiDeath): string {
  const grounds = death.because.join(' ')
  return `${deathWords[death.class]} (${death.class}, ${death.confidence})${grounds === '' ? '' : `: ${grounds}`}`
}
