import type { CrashForge } from './forge.ts'

/** Every job must have reached its true end this long after the last restart. */
const settledWithinMs = 60_000
const lookEveryMs = 250

interface JobFileAnswer {
  readonly job: {
    readonly id: number
    readonly state: string
    readonly outcome: string | null
    readonly requeues: number
  }
}

export interface Settled {
  readonly violations: readonly string[]
  readonly requeues: number
}

/** Waits until the forge and the ledger have ended every job, and compares them with the truth. */
export async function settle(
  forge: CrashForge,
  holdfastUrl: string,
  jobIds: readonly number[],
): Promise<Settled> {
  const deadline = performance.now() + settledWithinMs
  let open: string[] = []
  while (performance.now() < deadline) {
    const { violations, requeues, waiting } = await compare(forge, holdfastUrl, jobIds)
    if (violations.length > 0 || waiting.length === 0) return { violations, requeues }
    open = waiting
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  return { violations: open.map((what) => `not ended after ${settledWithinMs} ms: ${what}`), requeues: 0 }
}

async function compare(forge: CrashForge, holdfastUrl: string, jobIds: readonly number[]) {
  const truth = await forge.truth()
  const violations = truth.overlaps.map((overlap) => JSON.stringify(overlap))
  const waiting: string[] = []
  let requeues = 0
  for (const { id, status, conclusion } of truth.jobs.filter((job) => jobIds.includes(job.id))) {
    const known = await readJob(holdfastUrl, id)
    requeues += known?.job.requeues ?? 0
    const here = known === null ? 'unknown' : known.job.state
    if (status !== 'completed' || known === null || known.job.outcome === null) {
      waiting.push(`job ${id} is ${status} at the forge and ${here} here`)
      continue
    }
    const agrees = here === 'lost' ? conclusion === 'failure' : known.job.outcome === conclusion
    if (!agrees) violations.push(`job ${id} ended as ${conclusion}, and is ${here}/${known.job.outcome} here`)
  }
  return { violations, waiting, requeues }
}

async function readJob(holdfastUrl: string, forgeJobId: number): Promise<JobFileAnswer | null> {
  try {
    const response = await fetch(`${holdfastUrl}/v1/jobs/simulated:${forgeJobId}`)
    return response.ok ? ((await response.json()) as JobFileAnswer) : null
  } catch {
    return null // it is restarting
  }
}
