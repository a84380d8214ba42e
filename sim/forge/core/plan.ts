import type { Conclusion, NewJob, PlannedJob } from './model.ts'

/** The jobs of a workflow one by one: each combination of a matrix is a job of its own, under the same key. */
export function planOf(jobs: readonly NewJob[]): readonly PlannedJob[] {
  return jobs.flatMap((job) => combinations(job.matrix ?? {}).map((values) => planned(job, values)))
}

/** Every choice of one value for each name. */
function combinations(matrix: Readonly<Record<string, readonly string[]>>): Record<string, string>[] {
  return Object.entries(matrix).reduce<Record<string, string>[]>(
    (made, [name, values]) => made.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  )
}

function planned(job: NewJob, values: Readonly<Record<string, string>>): PlannedJob {
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ *matrix\.(\w+) *\}\}/g, (whole, name) => values[name] ?? whole)
  const suffix = Object.values(values).join(', ')
  return {
    key: job.key ?? job.name,
    name: suffix === '' ? job.name : `${job.name} (${suffix})`,
    labels: job.labels.map(filled),
    script: filled(job.script),
    needs: job.needs ?? [],
    when: job.when ?? 'success',
    isFailFast: job.matrix !== undefined && (job.failFast ?? true),
    ...(job.environment !== undefined && { environment: job.environment }),
    ...(job.elsewhereMs !== undefined && { elsewhereMs: job.elsewhereMs }),
  }
}

/** Whether a job runs after those that it needs ended so. */
export function allows(when: PlannedJob['when'], needed: readonly (Conclusion | null)[]): boolean {
  if (when === 'always') return true
  if (when === 'failure') return needed.includes('failure')
  return needed.every((conclusion) => conclusion === 'success')
}

/** The places of what is to run again, and of everything that needs it in turn. */
export function withDependents(
  plan: readonly PlannedJob[],
  places: ReadonlySet<number>,
): ReadonlySet<number> {
  const again = new Set(places)
  // Needs point backwards in a plan, so that one walk forwards finds them all.
  for (const [place, { needs }] of plan.entries()) {
    const isNeeding = [...again].some((each) => needs.includes(plan[each]?.key ?? ''))
    if (isNeeding) again.add(place)
  }
  return again
}
