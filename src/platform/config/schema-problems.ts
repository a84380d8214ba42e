import type { z } from 'zod'
import {
  bare,
  gotText,
  type Path,
  type Problem,
  schemaAt,
  typeText,
  valueAt,
} from '../../api/schema/index.ts'
import { expectedName } from './environment.ts'

interface Reading {
  readonly schema: z.ZodType
  /** Where the value at a path came from. */
  readonly sourceOf: (path: Path) => string
  /** The page that lists every name. */
  readonly reference?: string
  readonly isSecret?: boolean
}

/** The problems behind one issue of a schema, each with its source and what was expected. */
export function schemaProblems(
  issue: z.core.$ZodIssue,
  raw: unknown,
  { schema, sourceOf, reference, isSecret = false }: Reading,
): Problem[] {
  const here = schemaAt(schema, issue.path)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(here)
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      const expected = expectedName(key, known, reference)
      return { path: pathText(path), source: sourceOf(path), got: 'an unknown key', expected }
    })
  }
  const got = gotText(valueAt(raw, issue.path), isSecret)
  const expected = issue.message || (here === undefined ? 'something else' : typeText(here))
  return [{ path: pathText(issue.path), source: sourceOf(issue.path), got, expected }]
}

function knownKeys(schema: z.ZodType | undefined): string[] {
  const inner = schema && bare(schema)
  return inner !== undefined && 'shape' in inner ? Object.keys(inner.shape as object) : []
}

/** `lanes[2].containers.runner`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? String(step) : `${text}.${String(step)}`
  }, '')
}
