import { z } from 'zod'

/** A rule that holds here and in the API server, in the words of both. */
export interface Rule<Value> {
  /** Which field it is about, where it is not the value itself. */
  readonly at?: string
  /** The value to write; completes "expected …". */
  readonly expected: string
  /** In the Common Expression Language of Kubernetes; absent where the schema in the cluster says it elsewhere. */
  readonly cel?: string
  readonly holds: (value: Value) => boolean
}

/** Additions to a schema's JSON schema in the API server. */
export interface InCluster {
  readonly rules?: readonly Pick<Rule<never>, 'at' | 'expected' | 'cel'>[]
  /** In place of what its JSON schema says. */
  readonly schema?: Readonly<Record<string, unknown>>
}

/** Which schemas have rules of their own; the CustomResourceDefinition is made with it. */
export const inCluster = z.registry<InCluster>()

/** The schema under rules that hold in both places. */
export function ruled<T extends z.ZodType>(
  schema: T,
  rules: readonly Rule<z.output<T>>[],
  more: InCluster = {},
): T {
  const refined = rules.reduce(
    (inner, { at, expected, holds }) =>
      inner.refine(holds, { error: expected, ...(at !== undefined && { path: [at] }) }) as T,
    schema,
  )
  inCluster.add(refined, { ...more, rules: [...rules, ...(more.rules ?? [])] })
  return refined
}

/** A text of a form that a person would not read from its pattern. Patterns must mean the same in RE2. */
export function worded(pattern: RegExp, charsMax: number, expected: string) {
  const text = z.string().max(charsMax, expected).regex(pattern, expected)
  return ruled(text, [], { rules: [{ expected, cel: `self.matches(r'${pattern.source}')` }] })
}
