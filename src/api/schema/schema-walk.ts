import { z } from 'zod'

export type Path = readonly PropertyKey[]

/** The schema without what only says "may be absent". */
export function bare(schema: z.ZodType): z.ZodType {
  let inner = schema
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) {
    inner = inner.unwrap() as z.ZodType
  }
  return inner
}

/** The schema of what stands at a path, if the path leads anywhere. */
export function schemaAt(schema: z.ZodType, path: Path): z.ZodType | undefined {
  const [step, ...rest] = path
  if (step === undefined) return schema
  const here = bare(schema)
  const next = childOf(here, step)
  return next === undefined ? undefined : schemaAt(next, rest)
}

/** The value that stands at a path of plain objects and lists. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<PropertyKey, unknown>)[step]
  }
  return here
}

function childOf(schema: z.ZodType, step: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[step as string] as z.ZodType | undefined
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType
  return undefined
}
