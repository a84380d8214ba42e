import { isOpen } from '../../../src/domain/job/index.ts'
import { planEnd, retiredEnd, retirement } from '../../../src/domain/job-event/index.ts'
import { isLive } from '../../../src/domain/runner/index.ts'
import type { Cause, InstallationRow } from '../../../src/ports/ledger.ts'
import { closeIncidents } from './incidents.ts'
import { bound } from './job-events.ts'
import { filter, openAttemptOfJob, type State } from './state.ts'
import { applyPlan, type Tx } from './transaction.ts'

export function installations(state: State): InstallationRow[] {
  const names = new Set([
    ...[...state.jobs.values(), ...state.deliveries.values(), ...state.incidents.values()].map(
      ({ installation }) => installation,
    ),
    ...[...state.archived.values()].map(({ job }) => job.installation),
  ])
  return [...names].sort().map((name) => {
    const isOfIt = (of: { readonly installation: string }) => of.installation === name
    const jobs = filter(state.jobs, (job) => isOfIt(job) && isOpen(job))
    const attempts = jobs.flatMap((job) => openAttemptOfJob(state, job.id) ?? [])
    return {
      name,
      openJobs: jobs.length,
      openAttempts: attempts.length,
      liveRunners: attempts.filter(({ runnerId }) => isOnLive(state, runnerId)).length,
      pendingDeliveries: filter(state.deliveries, (row) => isOfIt(row) && row.state === 'pending').length,
      openIncidents: filter(state.incidents, (row) => isOfIt(row) && row.closedAt === null).length,
    }
  })
}

function isOnLive(state: State, runnerId: number): boolean {
  const runner = state.runners.get(runnerId)
  return runner !== undefined && isLive(runner)
}

export function openJobIds(state: State, installation: string, limit: number): number[] {
  const open = filter(state.jobs, (job) => job.installation === installation && isOpen(job))
  return open
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .slice(0, limit)
}

export function retireJob(tx: Tx, jobId: number, cause: Cause): 'retired' | 'refused' {
  const job = tx.state.jobs.get(jobId)
  if (job === undefined || !isOpen(job)) return 'refused'
  const attempt = openAttemptOfJob(tx.state, jobId)
  if (attempt === null) {
    applyPlan(tx, [{ on: 'job', id: jobId, transition: retirement }], cause)
    return 'retired'
  }
  const all = bound(tx.state, attempt)
  const plan = planEnd(all, retiredEnd(all, cause.source))
  if (plan === 'refused') return 'refused'
  applyPlan(tx, plan, cause)
  return 'retired'
}

export function retireRest(tx: Tx, installation: string): { deliveries: number; incidents: number } {
  const pending = filter(
    tx.state.deliveries,
    (row) => row.installation === installation && row.state === 'pending',
  )
  for (const row of pending) {
    const note = 'its installation was retired'
    tx.state.deliveries.set(row.guid, { ...row, state: 'ignored', note, settledAt: tx.now })
  }
  const open = filter(tx.state.incidents, (row) => row.installation === installation && row.closedAt === null)
  closeIncidents(tx, open)
  return { deliveries: pending.length, incidents: open.length }
}
