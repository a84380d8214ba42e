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
import type { ConfigFile } from './file.ts'
import { type Origin, originText } from './origin.ts'
import { configSchema } from './schema.ts'
import type { Setting } from './settings.ts'

interface Sources {
  readonly settings: readonly Setting[]
  readonly origins: ReadonlyMap<string, Origin>
  readonly file: ConfigFile | undefined
}

/** What the schema refused, with where it came from and what would do. */
export function issueProblems(
  issue: z.core.$ZodIssue,
  raw: unknown,
  { settings, origins, file }: Sources,
): Problem[] {
  const setting = settings.find(({ path }) => isWithin(issue.path, path.split('.')))
  const sourceOf = (path: Path): string => {
    const origin = setting && origins.get(setting.path)
    if (origin !== undefined && origin.kind !== 'file') return originText(origin)
    return file === undefined ? 'default' : `${file.name}:${file.lineOf(path)}`
  }
  const schema = schemaAt(configSchema, issue.path)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema)
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      return {
        path: pathText(path),
        source: sourceOf(path),
        got: 'an unknown key',
        expected: expectedName(key, known),
      }
    })
  }
  const got = gotText(valueAt(raw, issue.path), setting?.secret === true)
  const expected = issue.message || (schema === undefined ? 'something else' : typeText(schema))
  return [{ path: pathText(issue.path), source: sourceOf(issue.path), got, expected }]
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.length <= path.length && outer.every((step, index) => step === path[index])
}

function knownKeys(schema: z.ZodType | undefined): string[] {
  const inner = schema && bare(schema)
  return inner !== undefined && 'shape' in inner ? Object.keys(inner.shape as object) : []
}

function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? String(step) : `${text}.${String(step)}`
  }, '')
}
