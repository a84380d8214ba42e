import { createHash } from 'node:crypto'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { PodPlan } from '../../../domain/pool/index.ts'
import { avoiding, preferringOthers } from './build/avoid-nodes.ts'
import { draftPod } from './draft.ts'
import { canonical } from './json.ts'
import { labels } from './names.ts'
import type { PodManifest, PodOrder, PodSite } from './pod.ts'
import { problemsOfDraft } from './validation/problems-of.ts'

const templateHashChars = 12

/** The plan of a pool, merged and validated once: a pod of it then costs next to nothing. */
export interface PreparedPods {
  /** Why no pod can be made, each as a sentence for the pool's author. */
  readonly problems: readonly string[]
  /** The hash of the plan (`templateOf`). */
  readonly template: string
  /** The pod of one runner; there is none where there are problems. */
  build(runner: string, avoidNodes: readonly string[], unwantedNodes?: readonly string[]): PodManifest
}

/** Merges and judges a plan, which costs some hundred times as much as a pod of it. */
export function preparePods({ pool, plan, site }: Pick<PodOrder, 'pool' | 'plan' | 'site'>): PreparedPods {
  const draft = draftPod({ runner: 'any', pool, plan, site })
  const problems = problemsOfDraft(draft, plan, site)
  const template = templateOf(plan, site)
  const { metadata, spec, ...rest } = draft.merged as PodManifest
  return {
    problems,
    template,
    build(runner, avoidNodes, unwantedNodes = []) {
      const [problem] = problems
      if (problem !== undefined) {
        throw new HoldfastError('E_BUG', { what: `a pod is made of a refused plan: ${problem}` })
      }
      const own = { ...metadata.labels, [labels.runner]: runner, [labels.template]: template }
      const affinity = preferringOthers(avoiding(spec.affinity, avoidNodes), unwantedNodes)
      return {
        ...rest,
        metadata: { ...metadata, name: runner, labels: own },
        spec: { ...spec, ...(affinity !== undefined && { affinity }) },
      }
    },
  }
}

/**
 * The hash of what pods are made from: the same for plans that make the same pods, another where anything in
 * them differs but their names and the nodes that they avoid. A plan with problems has one too.
 */
export function templateOf(plan: PodPlan, site: PodSite): string {
  const { merged } = draftPod({ runner: 'any', pool: 'any', plan, site })
  return createHash('sha256').update(canonical(merged)).digest('hex').slice(0, templateHashChars)
}
