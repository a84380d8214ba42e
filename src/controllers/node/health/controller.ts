import { done, eachApart, type Loop, type Outcome } from '../../../loop/index.ts'
import type { HostNode } from '../../../ports/runner-host.ts'
import type { NodeHealthDeps } from './deps.ts'
import { leaveDraining } from './drain.ts'
import { createJudge, type Judged } from './judge.ts'
import { createNews, type News } from './news.ts'

/** For whoever places runners. */
export interface Avoidance {
  /** Nodes that count as no place for new ones. */
  avoided(): readonly string[]
  /**
   * What new ones are told. A node in quarantine takes none, and that never concerns half of the nodes. One under pressure
   * takes them last. One that is cordoned is not named: its scheduler keeps new pods from it for exactly as long as it is,
   * whereas what is written into a pod stays there.
   */
  placing(): { readonly avoidNodes: readonly string[]; readonly unwantedNodes: readonly string[] }
}

export interface NodeHealth {
  readonly loop: Loop
  readonly quarantine: Avoidance
}

/** What is read is in memory, beside one short question to the ledger. */
const sweepMs = 15_000
/** A node that is cordoned, lost or back is told once for each of its runners: that is one look. */
const gapMs = 5_000

/**
 * Looks at the nodes: idle runners leave those that are about to be taken away, busy ones finish; new ones keep away
 * from nodes under pressure and from those on which starts fail. Where there is only one place it does nothing.
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
      ...{ sweepMs, gapMs },
      wokenBy: () => false,
      listen: (ring) => deps.host.onChange(ring),
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
