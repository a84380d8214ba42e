import type { PodPlan } from '../../../../domain/pool/index.ts'
import { type Draft, draftPod } from '../draft.ts'
import { mapOf } from '../json.ts'
import { tokenAudience } from '../names.ts'
import type { PodSite } from '../pod.ts'
import { sentence } from '../problem.ts'
import { checkBaseline } from './baseline.ts'
import type { Check } from './check.ts'
import { checkContainers } from './containers.ts'
import { checkMetadata } from './metadata.ts'
import { checkPodSpec } from './pod-spec.ts'
import { checkUsers } from './users.ts'
import { checkVolumes } from './volumes.ts'

/** Of more a person reads the first ones. */
const problemsMax = 20

const checks: readonly Check[] = [
  ...[checkMetadata, checkPodSpec, checkContainers, checkVolumes, checkUsers, checkBaseline],
]

/** The settings of a site that decide whether a plan is valid. */
export type JudgingSite = Pick<PodSite, 'audience' | 'serviceAccount' | 'allow' | 'reservedAccounts'>

/** For judging a plan, where it does not matter which site it is for. */
const anySite: PodSite = {
  namespace: 'any',
  serverUrl: 'http://any',
  pollerImage: 'any',
  serviceAccount: 'any',
  hostId: 'any',
  audience: tokenAudience,
  tokenSeconds: 3600,
  pollMs: 1000,
}

/** Why no pod can be made of this plan, each as a sentence for its author; none where one can. */
export function problemsOf(plan: PodPlan, judging: Partial<JudgingSite> = {}): readonly string[] {
  const site = { ...anySite, ...judging }
  return problemsOfDraft(draftPod({ runner: 'any', pool: 'any', plan, site }), plan, site)
}

export function problemsOfDraft(
  { bare, merged, problems }: Draft,
  plan: PodPlan,
  { audience, allow = [], reservedAccounts = [] }: JudgingSite,
): string[] {
  if (problems.length > 0) return problems.slice(0, problemsMax)
  const template = partsOf(plan.template)
  const checked = { plan, audience, allow, reservedAccounts, bare, template, merged: partsOf(merged) }
  return checks.flatMap((check) => check(checked).map(sentence)).slice(0, problemsMax)
}

function partsOf({ metadata, spec }: Readonly<Record<string, unknown>>): Parameters<Check>[0]['merged'] {
  return { metadata: mapOf(metadata), spec: mapOf(spec) }
}
