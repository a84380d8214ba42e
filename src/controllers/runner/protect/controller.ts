import { isError } from '../../../domain/errors/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import {
  createReconciler,
  type Loop,
  type ReconcileResult,
  type ReconcilerDeps,
} from '../../../loop/index.ts'
import type { AttemptLedger, RunnerReader } from '../../../ports/ledger.ts'
import type { HostedRunner, JobMarks, RunnerHost } from '../../../ports/runner-host.ts'

export interface ProtectDeps extends ReconcilerDeps {
  readonly ledger: AttemptLedger & RunnerReader
  readonly host: RunnerHost
}

/** How soon a claim is seen where the program does not show whether it has a job; others are seen at once. */
const resyncEveryMs = 30_000

/**
 * Protects a runner against eviction by autoscalers from the time that it has a job: one write in its life. The start of
 * its program shows the job, or the ledger where one program polls for a job and runs it.
 */
export function protectLoop(deps: ProtectDeps): Loop {
  return createReconciler(
    {
      name: 'runner-protect',
      resyncEveryMs,
      resync: () => resync(deps),
      reconcile: (name, signal) => reconcile(name, deps, signal),
    },
    deps,
  )
}

async function resync({ ledger, host }: ProtectDeps): Promise<readonly string[]> {
  const open = (await host.list()).filter((runner) => runner.state === 'running' && !runner.isProtected)
  const started = open.filter(({ program }) => program === 'started')
  const unseen = open.filter(({ program }) => program === 'unknown')
  if (unseen.length === 0) return namesOf(started)
  const { rows, unreadable } = await ledger.runners(0, { states: ['claimed', 'busy'] })
  const atWork = new Set(namesOf([...rows, ...unreadable]))
  return namesOf([...started, ...unseen.filter(({ name }) => atWork.has(name))])
}

async function reconcile(name: string, deps: ProtectDeps, signal: AbortSignal): Promise<ReconcileResult> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null || hosted.state === 'exited' || hosted.isProtected) return 'over'
  if (hosted.leavingSince !== null) return null
  if (!(await isAtWork(hosted, deps))) return null
  await deps.host.protect(name, await jobOf(name, deps))
  return 'over'
}

async function isAtWork({ name, program }: HostedRunner, { ledger }: ProtectDeps): Promise<boolean> {
  if (program !== 'unknown') return program === 'started'
  const runner = await findReadable(name, ledger)
  return runner === 'unreadable' || (runner !== null && hasJob(runner))
}

/** Finds the runner's row; one that only a newer version can read may have a job. */
async function findReadable(
  name: string,
  ledger: ProtectDeps['ledger'],
): Promise<Runner | 'unreadable' | null> {
  try {
    return await ledger.findRunner(name)
  } catch (error) {
    if (isError(error, 'E_LEDGER_ROW')) return 'unreadable'
    throw error
  }
}

/** The job in the ledger; null where there is none: the protection does not wait for it. */
async function jobOf(name: string, { ledger }: ProtectDeps): Promise<JobMarks | null> {
  const runner = await findReadable(name, ledger)
  if (runner === null || runner === 'unreadable') return null
  const claim = await ledger.openAttempt(runner.id)
  if (claim === null) return null
  const { repository, name: job, workflow, runId, runAttempt, forgeJobId } = claim.job
  const marks = { repository, name: job, runId, runAttempt, forgeJobId }
  return workflow === undefined ? marks : { ...marks, workflow }
}

function hasJob({ state }: Pick<Runner, 'state'>): boolean {
  return state === 'claimed' || state === 'busy'
}

function namesOf(runners: readonly { readonly name: string }[]): string[] {
  return runners.map(({ name }) => name)
}
