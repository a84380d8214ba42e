import type { Cause } from '../../../ports/ledger.ts'
import { removeIdle } from '../../pool/remove/index.ts'
import { eachBounded } from '../../runner/keyed/index.ts'
import type { NodeHealthDeps } from './deps.ts'

/** Removals at a time, and of one pass (I10). */
const atATimeMax = 16
const perPassMax = 500
const cause: Cause = { source: 'lifecycle', rule: 'node-drained' }

/** Idle runners leave nodes that somebody is about to take away; whoever has a job finishes it there. */
export async function leaveDraining(
  nodes: ReadonlySet<string>,
  deps: NodeHealthDeps,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, host, log } = deps
  const there = (await host.list()).filter(
    ({ node, state, leavingSince }) =>
      node !== null && nodes.has(node) && state === 'running' && leavingSince === null,
  )
  if (there.length === 0) return
  const places = new Map(there.map(({ name, node }) => [name, node]))
  const rows = await ledger.runners(0, { states: ['booting', 'polling'] })
  const idle = rows.filter(({ name }) => places.has(name))
  await eachBounded(
    idle.slice(0, perPassMax),
    atATimeMax,
    async (runner) => {
      const node = places.get(runner.name)
      const outcome = await removeIdle(deps, runner, `its node ${node} is being drained`, cause)
      tellPool(runner.pool, node, deps)
      log.info({ runner: runner.name, pool: runner.pool, node, outcome }, 'an idle runner leaves its node')
    },
    signal,
  )
}

function tellPool(pool: string, node: string | null | undefined, { tell, clock }: NodeHealthDeps): void {
  const message = `Node ${node} is being drained: idle runners leave it, jobs there finish.`
  tell?.({
    about: { kind: 'pool', name: pool },
    type: 'Normal',
    reason: 'NodeDraining',
    message,
    at: clock.now(),
  })
}
