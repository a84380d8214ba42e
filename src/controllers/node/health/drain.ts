import { eachBounded } from '../../../loop/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import { removeIdle } from '../../pool/remove/index.ts'
import type { NodeHealthDeps } from './deps.ts'

/** Bounds of removals: at a time, and of one pass (I10). */
const atATimeMax = 16
const perPassMax = 500
const cause: Cause = { source: 'lifecycle', rule: 'node-drained' }

/** Removes idle runners from nodes that are being drained; a runner with a job finishes there. */
export async function leaveDraining(
  nodes: ReadonlySet<string>,
  deps: NodeHealthDeps,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, host, log, metrics } = deps
  const there = (await host.list()).filter(
    ({ node, state, leavingSince }) =>
      node !== null && nodes.has(node) && state === 'running' && leavingSince === null,
  )
  if (there.length === 0) return
  const places = new Map(there.map(({ name, node }) => [name, node]))
  const { rows } = await ledger.runners(0, { states: ['booting', 'polling'] })
  const idle = rows.filter(({ name }) => places.has(name))
  await eachBounded(
    idle.slice(0, perPassMax),
    atATimeMax,
    async (runner) => {
      const node = places.get(runner.name)
      const fields = { runner: runner.name, pool: runner.pool, node }
      try {
        const outcome = await removeIdle(deps, runner, `its node ${node} is being drained`, cause)
        recordDrainEvent(runner.pool, node, deps)
        log.info({ ...fields, outcome }, 'an idle runner leaves its node')
      } catch (error) {
        if (signal.aborted) throw error
        // Recovery handles a runner that is fenced, the next pass one that is not; the others must not wait for it.
        metrics.count('holdfast_task_failures_total', { task: 'node-health' })
        log.warn({ ...fields, err: error }, 'an idle runner could not be asked to leave its node')
      }
    },
    signal,
  )
}

function recordDrainEvent(
  pool: string,
  node: string | null | undefined,
  { recordEvent, clock }: NodeHealthDeps,
): void {
  const message = `Node ${node} is being drained: idle runners leave it, jobs there finish.`
  recordEvent?.({
    about: { kind: 'pool', name: pool },
    type: 'Normal',
    reason: 'NodeDraining',
    message,
    at: clock.now(),
  })
}
