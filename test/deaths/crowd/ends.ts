import type { DeathClass } from '../../../src/domain/death/index.ts'

/** One way in which pods of the crowd end. */
export interface CrowdEnd {
  readonly name: string
  readonly gives: DeathClass
  /** The last status that its kubelet writes; null: the pod is deleted or evicted instead. */
  readonly status: ((at: string) => object) | null
  readonly by?: 'delete' | 'eviction'
  /** The last lines of its output. */
  readonly lastLines: string
}

const step = (index: number) =>
  `2026-11-16T03:00:00Z test/unit/part-${index}.test.ts  ${index} passed, 0 failed, and a line as long as lines of builds are, which is some three hundred characters where compilers name all that they were given, ${'-I/home/runner/work/include '.repeat(5)}`
/** As a build leaves it: 200 lines, nearly all that a record takes. */
export const outputBefore = Array.from({ length: 200 }, (_, index) => `${step(index)}\n`).join('')

/** They take turns. What a log says counts where the kubelet says less. */
const crowdEnds: readonly CrowdEnd[] = [
  { name: 'out of memory', gives: 'container-oom', status: ended(137, 'OOMKilled'), lastLines: '' },
  { name: 'killed', gives: 'sigkill-unknown', status: ended(137), lastLines: '' },
  { name: 'segmentation fault', gives: 'crash', status: ended(139), lastLines: '' },
  {
    name: 'disk full',
    gives: 'disk-full',
    status: ended(1),
    lastLines: 'npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write\n',
  },
  {
    name: 'evicted by its kubelet',
    gives: 'evicted-memory',
    lastLines: '',
    status: (at) => ({
      ...ended(137)(at),
      reason: 'Evicted',
      message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 40Mi. ',
    }),
  },
  {
    name: 'done',
    gives: 'clean',
    status: ended(0, 'Completed'),
    lastLines: '2026-11-16 03:00:00Z: Job build completed with result: Succeeded\n',
  },
  { name: 'deleted', gives: 'deleted', status: null, by: 'delete', lastLines: '' },
  { name: 'drained', gives: 'node-drained', status: null, by: 'eviction', lastLines: '' },
]

/** That of the place in the crowd. */
export function endAt(place: number): CrowdEnd {
  return crowdEnds[place % crowdEnds.length] as CrowdEnd
}

function ended(exitCode: number, reason = 'Error'): (at: string) => object {
  return (at) => ({
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    initContainerStatuses: [container('poller', terminated(0, 'Completed', at))],
    containerStatuses: [container('runner', terminated(exitCode, reason, at))],
  })
}

function container(name: string, state: object): object {
  return { name, image: 'any', imageID: '', ready: false, started: false, restartCount: 0, state }
}

function terminated(exitCode: number, reason: string, at: string): object {
  return { terminated: { exitCode, reason, startedAt: at, finishedAt: at } }
}
