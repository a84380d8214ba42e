import type { z } from 'zod'
import type { Path, Problem } from '../../api/schema/index.ts'
import type { ConfigFile } from './file.ts'
import { type Origin, originText } from './origin.ts'
import { configSchema } from './schema.ts'
import { schemaProblems } from './schema-problems.ts'
import type { Setting } from './settings.ts'

interface Sources {
  readonly settings: readonly Setting[]
  readonly origins: ReadonlyMap<string, Origin>
  readonly file: ConfigFile | undefined
}

/** Problems that the schema of the settings found, each with its source and the expected value. */
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
  return schemaProblems(issue, raw, { schema: configSchema, sourceOf, isSecret: setting?.secret === true })
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.length <= path.length && outer.every((step, index) => step === path[index])
}
