import type { NodeHealthDeps } from './deps.ts'
import type { Judged } from './judge.ts'

const rule = 'degraded-node'

/** Reports changes of nodes, once each: in the log, as events of the pools, and as a decision. */
export interface News {
  quarantines(judged: Judged): Promise<void>
  cordons(nodes: readonly string[]): void
}

export function createNews({ clock, ledger, log, metrics, recordEvent }: NodeHealthDeps): News {
  let quarantined = new Map<string, readonly string[]>()
  let cordoned = new Set<string>()

  function recordPoolEvents(
    pools: readonly string[],
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    for (const name of pools) {
      recordEvent?.({ about: { kind: 'pool', name }, type, reason, message, at: clock.now() })
    }
  }

  return {
    async quarantines(judged) {
      const next = new Map(judged.quarantined.map(({ node }) => [node, judged.poolsOf.get(node) ?? []]))
      for (const { node, failureCount, until } of judged.quarantined) {
        if (quarantined.has(node)) continue
        const pools = next.get(node) ?? []
        const why = `${failureCount} starts failed on ${node} lately while others elsewhere succeeded`
        try {
          await ledger.recordDecision({
            rule,
            jobId: null,
            attemptId: null,
            runnerId: null,
            facts: { node, failureCount, pools },
            actions: [{ kind: 'avoid-node', node, until }],
          })
        } catch (error) {
          // The node is avoided all the same; its report is retried, and other nodes do not wait for it.
          metrics.count('holdfast_task_failures_total', { task: 'node-health' })
          log.warn({ node, err: error }, 'the quarantine of a node could not be recorded; looking again')
          next.delete(node)
          continue
        }
        log.warn({ node, failureCount, until, pools }, 'a node is quarantined')
        metrics.count('holdfast_decisions_total', { rule })
        recordPoolEvents(
          pools,
          'Warning',
          'NodeQuarantined',
          `${why}: no new runner is placed there for a while.`,
        )
      }
      for (const [node, pools] of quarantined) {
        if (next.has(node)) continue
        log.info({ node, pools }, 'the quarantine of a node is over')
        recordPoolEvents(pools, 'Normal', 'NodeReleased', `Runners may be placed on ${node} again.`)
      }
      quarantined = next
    },
    cordons(nodes) {
      for (const node of nodes) {
        if (!cordoned.has(node))
          log.info({ node }, 'a node is cordoned: idle runners leave it, busy ones finish')
      }
      cordoned = new Set(nodes)
    },
  }
}
