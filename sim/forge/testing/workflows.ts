import { createForgeCore, type ForgeCore, type NewJob, type NewRun } from '../core/index.ts'
import { seededEntropy } from '../core/seeded-entropy.ts'

export const repository = 'acme/shop'
export const labels = ['linux']

/** A forge without a past. */
export function newForge(): ForgeCore {
  return createForgeCore({ entropy: seededEntropy(7) })
}

export function job(name: string, more: Partial<NewJob> = {}): NewJob {
  return { name, labels, script: '', ...more }
}

export function submit(forge: ForgeCore, jobs: readonly NewJob[], more: Partial<NewRun> = {}) {
  return forge.submit({ repository, workflow: 'ci', jobs, ...more }, 0)
}

/** A fresh runner takes the oldest job and ends it so; null: there is none. */
export function runNext(forge: ForgeCore, conclusion: 'success' | 'failure'): string | null {
  const name = `r-${forge.truth().runners.length}`
  const minted = forge.mint({ repository, name, labels }, 20)
  if (minted.kind !== 'minted') throw new Error(minted.kind)
  const connected = forge.connect(minted.jit, name, 21)
  if (connected.kind !== 'connected') throw new Error(connected.kind)
  const polled = forge.poll(connected.session, 22)
  if (polled.kind !== 'job') return null
  forge.complete(connected.session, polled.job.id, conclusion, 23)
  return polled.job.name
}

/** Takes the forge's messages since the last call: each job with its status or its conclusion. */
export function drainJobMessages(forge: ForgeCore): string[] {
  return forge.takeWebhooks().map(({ payload }) => {
    const job = payload.workflow_job as { name: string; status: string; conclusion: string | null }
    return `${job.name} ${job.conclusion ?? job.status}`
  })
}

export function statuses(forge: ForgeCore, runs: readonly { readonly runId: number }[]) {
  return runs.map(({ runId }) => forge.run(runId)?.status)
}
