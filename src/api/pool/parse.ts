import { z } from 'zod'
import type { EvidencePlan, PodPlan, Pool } from '../../domain/pool/index.ts'
import { gotText, type Path, problemText, schemaAt, typeText, valueAt } from '../schema/index.ts'
import { quantityTexts } from './quantity.ts'
import { podShape, poolName, type poolShape, type RunnerPoolSpec, runnerPoolSpec } from './schema.ts'

const minuteMs = 60_000
const secondMs = 1_000
const problemsMax = 20

/** Completes "expected …" where a pool names a runner group and there are none. */
export const groupless =
  'nothing, because runners are in groups only at organisations and enterprises of GitHub (forge.kind, forge.scope)'

/** Features of the forge that a pool may use. */
export interface ForgeHas {
  readonly runnerGroups?: boolean
}

export type ParsedPool =
  | { readonly kind: 'pool'; readonly pool: Pool; readonly pod: PodPlan }
  /** Each says what stands where, and what to write instead. */
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/**
 * Reads the `spec` of a RunnerPool. The API server has refused most of what is wrong; what it cannot see, and what it
 * took under other rules, is found here. Fields that are not known come from a newer definition and are left out.
 */
export function parseRunnerPool(name: string, spec: unknown, forge: ForgeHas = {}): ParsedPool {
  const named = poolName.safeParse(name)
  const raw = spec ?? {}
  const parsed = safeParse(withoutUnknown(raw))
  if (!named.success || parsed.data === undefined) {
    const inName = named.error?.issues.slice(0, 1) ?? []
    const problems = [
      ...inName.map(({ message }) => problemLine('metadata.name', name, message)),
      ...(parsed.error?.issues ?? []).map((issue) => issueLine(issue, raw)),
    ]
    return { kind: 'wrong', problems: [...new Set(problems)].slice(0, problemsMax) }
  }
  if (parsed.data.runnerGroup !== undefined && forge.runnerGroups === false) {
    return {
      kind: 'wrong',
      problems: [problemLine('spec.runnerGroup', parsed.data.runnerGroup, groupless)],
    }
  }
  return { kind: 'pool', pool: toPool({ name, ...parsed.data }), pod: toPodPlan(parsed.data) }
}

/** A pool in the terms of the domain. */
export function toPool(spec: { name: string } & Pick<RunnerPoolSpec, keyof typeof poolShape>): Pool {
  const { name, labels, runnerGroup, minWarm, maxRunners, priorities, fairness, provisioning, rollout } = spec
  const { weights, capPerRepository = null, capPerOwner = null, ageingMinutes } = fairness
  return {
    name,
    labels,
    publicRepositories: spec.publicRepositories,
    forks: spec.forks,
    minWarm,
    maxRunners,
    priorities,
    rollout,
    ...(runnerGroup !== undefined && { runnerGroup }),
    ...(spec.repositories !== undefined && { repositories: spec.repositories }),
    warmWindows: spec.warmWindows.map(({ durationMinutes, ...window }) => ({
      ...window,
      durationMs: durationMinutes * minuteMs,
    })),
    idleTimeoutMs: spec.idleTimeoutSeconds * secondMs,
    ...(spec.maxJobSeconds !== undefined && { maxJobMs: spec.maxJobSeconds * secondMs }),
    fairness: { weights, capPerRepository, capPerOwner, ageingMs: ageingMinutes * minuteMs },
    provisioning: {
      maxStartingPerNode: provisioning.maxStartingPerNode,
      startDeadlineMs: provisioning.startDeadlineSeconds * secondMs,
      unschedulableDeadlineMs: provisioning.unschedulableDeadlineSeconds * secondMs,
    },
  }
}

/** Which of the settings that only pods have were given. */
export function podSettingsGiven(spec: Partial<Record<keyof typeof podShape, unknown>>): string[] {
  const unset = z.strictObject(podShape).parse({}) as Record<string, unknown>
  return Object.keys(podShape).filter((key) => {
    const given = spec[key as keyof typeof podShape]
    return given !== undefined && JSON.stringify(given) !== JSON.stringify(unset[key])
  })
}

function toPodPlan(spec: RunnerPoolSpec): PodPlan {
  const {
    shape,
    image = '',
    command = null,
    resources,
    runtimeClass = null,
    dind = null,
    template = {},
    vitals,
  } = spec
  return {
    shape,
    image,
    command,
    runtimeClass,
    dind,
    template,
    ...(vitals && { vitals }),
    resources: {
      requests: quantityTexts(resources.requests),
      limits: quantityTexts(resources.limits),
    },
    stopGraceMs: spec.stopGraceSeconds * secondMs,
    evidence: toEvidencePlan(spec.evidence),
  }
}

function toEvidencePlan({ deadlineSeconds, ...rest }: RunnerPoolSpec['evidence']): EvidencePlan {
  return { ...rest, deadlineMs: deadlineSeconds * secondMs }
}

function safeParse(spec: unknown) {
  return runnerPoolSpec.safeParse(spec, { error: () => '' })
}

function withoutUnknown(spec: unknown): unknown {
  const unknown = safeParse(spec).error?.issues.filter((issue) => issue.code === 'unrecognized_keys') ?? []
  if (unknown.length === 0) return spec
  const known = structuredClone(spec)
  for (const { path, keys } of unknown) {
    const at = valueAt(known, path) as Record<string, unknown>
    for (const key of keys) delete at[key]
  }
  return known
}

function issueLine({ path, message }: z.core.$ZodIssue, raw: unknown): string {
  const schema = schemaAt(runnerPoolSpec, path)
  const expected = message || (schema === undefined ? 'something else' : typeText(schema))
  return problemLine(`spec${pathText(path)}`, valueAt(raw, path), expected)
}

function problemLine(path: string, value: unknown, expected: string): string {
  return problemText({ path, source: path, got: gotText(value, false), expected })
}

function pathText(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
}
