import { z } from 'zod'
import { isRecord } from '../../../../domain/is-record.ts'
import { shown } from '../json.ts'
import { sentence } from '../problem.ts'

/** A pod is kept in memory for each runner, and the API takes no object above 1.5 MiB. */
const templateBytesMax = 65_536
/** Deeper than anything in a pod. */
const defaultDepthMax = 32

const text = z.string()
const words = z.record(text, text.nullable())
const id = z.int().min(0).nullable()
const flag = z.boolean().nullable()

const securityContext = z
  .looseObject({ runAsUser: id, runAsGroup: id, fsGroup: id, runAsNonRoot: flag, privileged: flag })
  .partial()
  .nullable()

const volume = z
  .looseObject({
    name: text,
    hostPath: z.looseObject({ path: text }).nullable(),
    projected: z
      .looseObject({
        sources: z.array(
          z.looseObject({ serviceAccountToken: z.looseObject({ audience: text.nullish() }).nullish() }),
        ),
      })
      .nullable(),
  })
  .partial()

const container = z
  .looseObject({
    name: text,
    image: text.nullable(),
    env: z.array(z.looseObject({ name: text }).partial()).nullable(),
    volumeMounts: z.array(z.looseObject({ name: text, mountPath: text }).partial()).nullable(),
    securityContext,
  })
  .partial()

const conditions = z.array(z.looseObject({})).nullish()
const terms = z.array(z.looseObject({ matchExpressions: conditions, matchFields: conditions }))
const required = z.looseObject({ nodeSelectorTerms: terms.nullish() })
const affinity = z
  .looseObject({
    nodeAffinity: z
      .looseObject({ requiredDuringSchedulingIgnoredDuringExecution: required.nullish() })
      .nullish(),
  })
  .nullable()

/** The parts of a pod template that decide about our promises; what else it says is the API server's to judge. */
const template = z.strictObject({
  metadata: z.looseObject({ labels: words, annotations: words }).partial().nullish(),
  spec: z
    .looseObject({
      containers: z.array(container).nullable(),
      initContainers: z.array(container).nullable(),
      volumes: z.array(volume).nullable(),
      securityContext,
      affinity,
      serviceAccountName: text.nullable(),
      runtimeClassName: text.nullable(),
    })
    .partial()
    .nullish(),
})

/** The problems of a template before it is merged: its size and its form. */
export function formProblems(given: Readonly<Record<string, unknown>>): string[] {
  if (isDeeper(given, defaultDepthMax)) {
    const todo = 'No pod has such a field.'
    return [sentence({ at: '', expected: `at most ${defaultDepthMax} levels`, got: 'more', todo })]
  }
  const bytes = byteLength(given)
  if (bytes > templateBytesMax) {
    const todo = `The largest part is ${largestPart(given)}: put it into a ConfigMap or an image.`
    return [sentence({ at: '', expected: `at most ${templateBytesMax} bytes of JSON`, got: bytes, todo })]
  }
  const { error } = template.safeParse(given)
  return (error?.issues ?? []).map((issue) => {
    const todo = 'Write it as in a PodTemplateSpec.'
    if (issue.code === 'unrecognized_keys') {
      return sentence({ at: '', expected: 'only metadata and spec', got: issue.keys, todo })
    }
    const expected = /expected (.+?)(, received .*)?$/.exec(issue.message)?.[1] ?? issue.message
    const at = issue.path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
      .join('')
    return sentence({ at: at.slice(1), expected, got: valueAt(given, issue.path), todo })
  })
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) => (inner as Readonly<Record<PropertyKey, unknown>>)?.[step],
    value,
  )
}

/** Without recursion: who writes a template must not be able to end the program. */
function isDeeper(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= depthMax; depth++) {
    level = level.flatMap((inner) =>
      Array.isArray(inner) ? inner : isRecord(inner) ? Object.values(inner) : [],
    )
    if (level.length === 0) return false
  }
  return true
}

function largestPart(given: Readonly<Record<string, unknown>>): string {
  const parts = ['metadata', 'spec'].flatMap((name) =>
    Object.entries(isRecord(given[name]) ? given[name] : {}).map(
      ([field, value]) => [`${name}.${field}`, byteLength(value)] as const,
    ),
  )
  const [name, bytes] = parts.toSorted(([, a], [, b]) => b - a)[0] ?? ['template', 0]
  return `${shown(name)} with ${bytes}`
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
