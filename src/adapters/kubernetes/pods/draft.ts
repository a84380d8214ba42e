import { isRecord } from '../../../domain/is-record.ts'
import type { PodPlan } from '../../../domain/pool/index.ts'
import { barePod } from './build/bare-pod.ts'
import { withCheck } from './build/check.ts'
import { defaultUser, runnerUserOf } from './build/user.ts'
import { isSame, type JsonMap, mapOf, mapsOf } from './json.ts'
import { mergeTemplate } from './merge/merge-template.ts'
import { containers } from './names.ts'
import type { PodManifest, PodOrder } from './pod.ts'
import { formProblems } from './validation/template-form.ts'

export interface Draft {
  /** Without the template. */
  readonly bare: PodManifest
  /** With it; meant to run only where there is no problem. */
  readonly merged: JsonMap
  readonly problems: readonly string[]
}

/** A pod of this plan, and what kept its template from being merged. */
export function draftPod(order: Omit<PodOrder, 'avoidNodes'>): Draft {
  const form = formProblems(order.plan.template)
  const first = barePod(order, defaultUser)
  if (form.length > 0) return { bare: first, merged: first, problems: form }
  const draft = drafted(first, order.plan)
  const user = runnerUserOf(mapOf(draft.merged.spec))
  // Only the whole template says as whom the runner runs, and some of our own parts follow it.
  return isSame(user, defaultUser) ? draft : drafted(barePod(order, user), order.plan)
}

function drafted(bare: PodManifest, plan: PodPlan): Draft {
  const { value, problems } = mergeTemplate(bare, withoutNulls(plan.template))
  return { bare, merged: withCheck(withPollerLast(value), plan), problems }
}

/** `spec: null` in a template says nothing; it does not take the pod's spec away. */
function withoutNulls(template: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(template).filter(([, value]) => isRecord(value)))
}

/** Nothing of the template stands between a job's configuration and its use: it is good for a few minutes only. */
function withPollerLast(pod: JsonMap): JsonMap {
  const spec = mapOf(pod.spec)
  const all = mapsOf(spec.initContainers)
  const isPoller = ({ name }: JsonMap): boolean => name === containers.poller
  const initContainers = [...all.filter((one) => !isPoller(one)), ...all.filter(isPoller)]
  return { ...pod, spec: { ...spec, initContainers } }
}
