import { done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { HostNode } from '../../../ports/runner-host.ts'
import type { NodeHealthDeps } from './deps.ts'
import { leaveDraining } from './drain.ts'
import { createJudge, type Judged } from './judge.ts'
import { createNews, type News } from './news.ts'

export interface NodeHealth {
  readonly loop: Loop
  /** For whoever places runners: nodes that new ones keep away from. */
  readonly quarantine: { avoided(): readonly string[] }
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
  return {
    quarantine: { avoided: () => avoided },
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
        return settle(nodes, judged, news, deps, signal)
      },
    },
  }
}

function avoidedOf(nodes: readonly HostNode[], { quarantined }: Judged): readonly string[] {
  const unfit = nodes.filter(({ isCordoned, pressures }) => isCordoned || pressures.length > 0)
  return [...new Set([...unfit.map(({ name }) => name), ...quarantined.map(({ node }) => node)])].sort()
}

async function settle(
  nodes: readonly HostNode[],
  judged: Judged,
  news: News,
  deps: NodeHealthDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  await news.quarantines(judged)
  const cordoned = nodes.filter(({ isCordoned }) => isCordoned).map(({ name }) => name)
  news.cordons(cordoned)
  if (cordoned.length > 0) await leaveDraining(new Set(cordoned), deps, signal)
  return done
}
