import type { Random } from '../../sim/world/random.ts'
import { type Deed, scriptOf } from './fleet/script.ts'

/** A workflow's run as the forge is asked for it. */
export interface PlannedRun {
  readonly repository: string
  readonly workflow: string
  readonly jobs: readonly PlannedJob[]
  readonly concurrency?: { readonly group: string; readonly cancelInProgress: boolean }
}

interface PlannedJob {
  readonly name: string
  readonly labels: readonly string[]
  readonly script: string
  readonly needs?: readonly string[]
  readonly when?: 'always'
  readonly matrix?: Readonly<Record<string, readonly string[]>>
  readonly failFast?: boolean
  /** Somebody has to approve it. */
  readonly environment?: string
  /** The forge's own runners run it. */
  readonly elsewhereMs?: number
}

export interface Workload {
  readonly runs: readonly PlannedRun[]
  /**
   * With every matrix and everything that is needed; without the runs that wait for their turn in a group, because
   * the forge drops those that are overtaken there.
   */
  readonly jobs: number
}

export const labels = ['self-hosted', 'linux']
/** Where the App is installed. */
export const owners = ['acme', 'globex']
const shortestMs = 50
const longestMs = 1_200
const diesShare = 0.015
const failsShare = 0.08

type Shape = 'one' | 'three' | 'matrix' | 'chain' | 'grouped' | 'guarded' | 'hosted'
const shapes: readonly Shape[] = [
  'one',
  'one',
  'one',
  'three',
  'three',
  'matrix',
  'chain',
  'chain',
  'grouped',
  'guarded',
  'hosted',
]

/** So many jobs over so many repositories, in runs of every shape; the same seed gives the same. */
export function createWorkload(jobs: number, repositories: number, random: Random): Workload {
  const runs: PlannedRun[] = []
  let planned = 0
  while (planned < jobs) {
    const left = jobs - planned
    const shape = left < 4 ? 'one' : (shapes[Math.floor(random.fraction() * shapes.length)] as Shape)
    const repository = repositoryName(runs.length % repositories)
    const run = { repository, workflow: shape, ...runOf(shape, random, repository) }
    runs.push(run)
    if (shape === 'grouped') continue
    planned += run.jobs.reduce((sum, { matrix }) => sum + (matrix === undefined ? 1 : matrixSize), 0)
  }
  return { runs, jobs: planned }
}

/** Of two accounts in turn. */
export function repositoryName(n: number): string {
  return `${owners[n % owners.length]}/repository-${n}`
}

const matrixSize = 4

function runOf(shape: Shape, random: Random, repository: string): Pick<PlannedRun, 'jobs' | 'concurrency'> {
  const job = (name: string, more: Partial<PlannedJob> = {}): PlannedJob => {
    return { name, labels, script: scriptOf(deed(random)), ...more }
  }
  if (shape === 'three') return { jobs: [job('lint'), job('test'), job('docs')] }
  if (shape === 'matrix') {
    return { jobs: [job('test', { matrix: { version: ['20', '22', '24', '26'] }, failFast: false })] }
  }
  if (shape === 'chain') {
    const build = job('build')
    const test = job('test', { needs: ['build'] })
    return { jobs: [build, test, job('report', { needs: ['test'], when: 'always' })] }
  }
  if (shape === 'grouped') {
    return { jobs: [job('deploy')], concurrency: { group: `deploy-${repository}`, cancelInProgress: false } }
  }
  if (shape === 'guarded') return { jobs: [job('deploy', { environment: 'production' })] }
  if (shape === 'hosted') return { jobs: [job('audit', { labels: [], elsewhereMs: longestMs })] }
  return { jobs: [job('test')] }
}

function deed(random: Random): Deed {
  const chance = random.fraction()
  const end = chance < diesShare ? 'dies' : chance < diesShare + failsShare ? 'failure' : 'success'
  return { takesMs: Math.round(shortestMs + random.fraction() * (longestMs - shortestMs)), end }
}
