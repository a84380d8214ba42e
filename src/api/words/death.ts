import type { DeathClass } from '../../domain/death/index.ts'
import type { ApiDeath } from '../contracts/job-file.ts'

const deathWords: Readonly<Record<DeathClass, string>> = {
  clean: 'its runner ended by itself, in order',
  'container-oom': 'its runner ran out of memory',
  evicted: 'its runner was put off its node',
  preempted: 'its runner had to make room for something more important',
  'node-drained': 'its runner was on a node that somebody emptied',
  'node-lost': "its runner's node was lost",
  'deadline-exceeded': 'its runner took longer than its pod may',
  terminated: 'its runner was told to stop',
  deleted: "its runner's pod was deleted by somebody",
  'sigkill-unknown': 'its runner was killed',
  crash: 'its runner crashed',
  failed: 'its runner failed',
  'never-started': 'its runner never started',
  vanished: 'its runner vanished',
  unknown: 'its runner ended for an unknown reason',
}

/** How a runner ended, in words: what, how sure, on what grounds. */
export function deathText(death: ApiDeath): string {
  const grounds = death.because.join(' ')
  return `${deathWords[death.class]} (${death.class}, ${death.confidence})${grounds === '' ? '' : `: ${grounds}`}`
}
