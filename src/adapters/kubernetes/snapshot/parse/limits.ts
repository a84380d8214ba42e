import type {
  AutoscalerFact,
  LimitRangeFact,
  PriorityClassFact,
  QuotaFact,
} from '../../../../domain/snapshot/index.ts'
import {
  amounts,
  type Cursor,
  count,
  each,
  flag,
  has,
  inside,
  name,
  nameNeeded,
  number,
  texts,
} from './cursor.ts'
import { conditionsIn, objectFact } from './object.ts'

export function parseQuota(quota: Cursor): QuotaFact {
  const spec = inside(quota, 'spec')
  const status = inside(quota, 'status')
  return {
    ...objectFact(quota),
    isScoped: texts(spec, 'scopes').length > 0 || has(spec, 'scopeSelector'),
    // The controller has not seen a new one yet; the API server holds to its spec from the start.
    hard: amounts(has(spec, 'hard') ? spec : status, 'hard'),
    used: amounts(status, 'used'),
  }
}

export function parseLimitRange(range: Cursor): LimitRangeFact {
  return {
    ...objectFact(range),
    limits: each(inside(range, 'spec'), 'limits').map((limit) => ({
      type: nameNeeded(limit, 'type'),
      max: amounts(limit, 'max'),
      min: amounts(limit, 'min'),
      defaultLimits: amounts(limit, 'default'),
      defaultRequests: amounts(limit, 'defaultRequest'),
    })),
  }
}

export function parsePriorityClass(priority: Cursor): PriorityClassFact {
  return {
    name: nameNeeded(inside(priority, 'metadata'), 'name'),
    value: number(priority, 'value') ?? 0,
    isDefault: flag(priority, 'globalDefault'),
    preempts: name(priority, 'preemptionPolicy') !== 'Never',
  }
}

/** A HorizontalPodAutoscaler. */
export function parseAutoscaler(autoscaler: Cursor): AutoscalerFact {
  const spec = inside(autoscaler, 'spec')
  const status = inside(autoscaler, 'status')
  const target = inside(spec, 'scaleTargetRef')
  return {
    ...objectFact(autoscaler),
    target: { kind: nameNeeded(target, 'kind'), name: nameNeeded(target, 'name') },
    min: number(spec, 'minReplicas') ?? 1,
    max: count(spec, 'maxReplicas'),
    current: number(status, 'currentReplicas'),
    desired: number(status, 'desiredReplicas'),
    conditions: conditionsIn(status),
  }
}
