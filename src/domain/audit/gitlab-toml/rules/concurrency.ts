import { counted } from '../../../format.ts'
import { concurrencyMismatch, startTimeout } from '../classes.ts'
import { entryOf, numberIn, type TomlTable } from '../document.ts'
import type { Problem } from '../problem.ts'
import type { TomlRunner } from '../runners.ts'

/** GitLab Runner's own values where the file has none. */
const concurrentByDefault = 1
const pollTimeoutByDefaultS = 180
const pollIntervalByDefaultS = 3
/** A cold node pulls a job's image in a minute or two. */
const pollTimeoutMinS = 60

/** How many jobs one manager runs at once, by its file. */
export function concurrentIn(root: TomlTable): number {
  return numberIn(root, 'concurrent') ?? concurrentByDefault
}

/** `concurrent` against the number of runners, their limits and their requests for jobs. */
export function concurrencyProblems(root: TomlTable, runners: readonly TomlRunner[]): readonly Problem[] {
  const concurrent = concurrentIn(root)
  const line = entryOf(root, 'concurrent')?.line ?? 1
  const global = (severity: Problem['severity'], summary: string, fix: string): Problem => ({
    class: concurrencyMismatch,
    severity,
    line,
    path: 'concurrent',
    summary,
    fix,
  })
  if (concurrent < 1)
    return [global('critical', `concurrent is ${concurrent}: no job is taken at all.`, 'Write at least 1.')]
  const limits = runners.map(({ table }) => numberIn(table, 'limit') ?? 0)
  const reachable = limits.includes(0)
    ? Number.POSITIVE_INFINITY
    : limits.reduce((sum, each) => sum + each, 0)
  const starved = runners.length > concurrent
  const idle = runners.length > 0 && reachable < concurrent
  return [
    ...(starved
      ? [
          global(
            'warning',
            `concurrent is ${concurrent} for ${counted(runners.length, 'runner')}: a runner that waits for a job keeps the others from asking.`,
            `Write at least ${runners.length + 1}.`,
          ),
        ]
      : []),
    ...(idle
      ? [
          global(
            'notice',
            `concurrent is ${concurrent}, and the limits of all runners come to ${reachable}: more never run at once.`,
            'Make the two agree: lower concurrent, or change the limits.',
          ),
        ]
      : []),
    ...runners.flatMap((runner) => limitProblems(runner, concurrent)),
  ]
}

function limitProblems({ title, table }: TomlRunner, concurrent: number): readonly Problem[] {
  const limit = numberIn(table, 'limit') ?? 0
  const requests = numberIn(table, 'request_concurrency') ?? 1
  const most = limit > 0 ? Math.min(limit, concurrent) : concurrent
  const at = (key: string, severity: Problem['severity'], summary: string, fix: string): Problem => ({
    class: concurrencyMismatch,
    severity,
    line: entryOf(table, key)?.line ?? table.line,
    path: `runners.${key}`,
    summary,
    fix,
  })
  return [
    ...(limit > concurrent
      ? [
          at(
            'limit',
            'notice',
            `${title} has a limit of ${limit}, above concurrent = ${concurrent}: it is never reached.`,
            'Make the two agree: lower the limit, or change concurrent.',
          ),
        ]
      : []),
    ...(requests > most
      ? [
          at(
            'request_concurrency',
            'notice',
            `${title} asks for ${requests} jobs at once and may run ${most}.`,
            'Write at most as many as may run at once.',
          ),
        ]
      : []),
  ]
}

/** Time for a job's pod to start: none at all, or less than a cold node needs for an image. */
export function startProblems({ kubernetes }: TomlRunner): readonly Problem[] {
  if (kubernetes === null) return []
  const timeoutS = positive(numberIn(kubernetes, 'poll_timeout')) ?? pollTimeoutByDefaultS
  const intervalS = positive(numberIn(kubernetes, 'poll_interval')) ?? pollIntervalByDefaultS
  const key = numberIn(kubernetes, 'poll_timeout') === null ? 'poll_interval' : 'poll_timeout'
  const shared = {
    class: startTimeout,
    line: entryOf(kubernetes, key)?.line ?? kubernetes.line,
    path: `runners.kubernetes.${key}`,
    fix: `Write poll_timeout = ${pollTimeoutByDefaultS} or more, in seconds, and leave poll_interval at ${pollIntervalByDefaultS}.`,
  }
  if (intervalS > timeoutS)
    return [
      {
        ...shared,
        severity: 'critical',
        summary: `poll_interval of ${intervalS} s is above poll_timeout of ${timeoutS} s: GitLab Runner gives up before its first look at the pod.`,
      },
    ]
  if (timeoutS >= pollTimeoutMinS) return []
  return [
    {
      ...shared,
      severity: 'notice',
      confidence: 'likely',
      summary: `A job's pod has ${timeoutS} s to start: a node without the image needs longer, and the job fails.`,
    },
  ]
}

/** GitLab Runner takes 0 and less for its own value. */
function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null
}
