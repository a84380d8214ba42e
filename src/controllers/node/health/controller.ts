import { done, eachApart, type Loop, type Outcome } from '../../../loop/index.ts'
import type { HostNode } from '../../../ports/runner-host.ts'
import type { NodeHealthDeps } from './deps.ts'
import { leaveDraining } from './drain.ts'
import { createJudge, type Judged } from './judge.ts'
import { createNews, type News } from './news.ts'

/** The nodes to avoid, for the controllers that place runners. */
export interface Avoidance {
  /** Nodes that do not count as places for new runners. */
  avoided(): readonly string[]
  /**
   * Placement rules for new runners. A quarantined node takes none, and never half of the nodes are quarantined. A node under
   * pressure takes them last. A cordoned node is not named: its scheduler keeps new pods away for as long as the cordon
   * lasts, whereas rules in a pod stay there.
   */
  placing(): { readonly avoidNodes: readonly string[]; readonly unwantedNodes: readonly string[] }
}

export interface NodeHealth {
  readonly loop: Loop
  readonly quarantine: Avoidance
}

/** A pass reads memory, and makes one short query to the ledger. */
const resyncMs = 15_000
/** A node that is cordoned, lost or back changes each of its runners: that makes one pass. */
const gapMs = 5_000

/**
 * Watches the nodes: idle runners leave nodes that are being drained, busy ones finish; new runners avoid nodes under
 * pressure and nodes on which starts fail. On a host with only one place the loop does nothing.
 */
export function createNodeHealth(deps: NodeHealthDeps): NodeHealth {
  const news = createNews(deps)
  const judge = createJudge(deps)
  let avoided: readonly string[] = []
  let placing: ReturnType<Avoidance['placing']> = { avoidNodes: [], unwantedNodes: [] }
  return {
    quarantine: { avoided: () => avoided, placing: () => placing },
    loop: {
      name: 'node-health',
      resyncMs,
      gapMs,
      wokenBy: () => false,
      subscribe: (notify) => deps.host.onChange(notify),
      async pass(signal) {
        const nodes = await deps.host.nodes()
        if (nodes.length === 0) return done
        const judged = await judge(nodes)
        avoided = avoidedOf(nodes, judged)
        placing = placingOf(nodes, judged)
        return settle(nodes, judged, news, deps, signal)
      },
    },
  }
}

function avoidedOf(nodes: readonly HostNode[], { quarantined }: Judged): readonly string[] {
  const unfit = nodes.filter(({ isCordoned, pressures }) => isCordoned || pressures.length > 0)
  return [...new Set([...unfit.map(({ name }) => name), ...quarantined.map(({ node }) => node)])].sort()
}

function placingOf(nodes: readonly HostNode[], { quarantined }: Judged): ReturnType<Avoidance['placing']> {
  const avoidNodes = quarantined.map(({ node }) => node).sort()
  const unwanted = nodes.filter(({ pressures }) => pressures.length > 0).map(({ name }) => name)
  return { avoidNodes, unwantedNodes: unwanted.filter((name) => !avoidNodes.includes(name)).sort() }
}

async function settle(
  nodes: readonly HostNode[],
  judged: Judged,
  news: News,
  deps: NodeHealthDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  const cordoned = nodes.filter(({ isCordoned }) => isCordoned).map(({ name }) => name)
  news.cordons(cordoned)
  const steps = {
    quarantines: () => news.quarantines(judged),
    drain: async () => {
      if (cordoned.length > 0) await leaveDraining(new Set(cordoned), deps, signal)
    },
  }
  await eachApart(
    Object.entries(steps),
    ([, step]) => step(),
    ([step], error) => deps.log.warn({ step, err: error }, 'a step of the look at nodes failed'),
    signal,
  )
  return done
}
