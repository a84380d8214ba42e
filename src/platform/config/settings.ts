import { z } from 'zod'
import { type About, abouts, bare } from '../../api/schema/index.ts'
import { configSchema } from './schema.ts'

/** One setting with all its names. */
export interface Setting extends About {
  /** `http.port` */
  readonly path: string
  /** `HOLDFAST_HTTP_PORT` */
  readonly env: string
  /** `--http-port` */
  readonly flag: string
  readonly schema: z.ZodType
}

/** Every setting, in the order of the schema. */
export function settingList(): readonly Setting[] {
  return settingsUnder(configSchema, [])
}

/** The settings of one object schema, sections opened, settings that are lists or maps closed. */
export function settingsUnder(schema: z.ZodType, path: readonly string[]): Setting[] {
  const about = abouts.get(schema)
  if (about !== undefined) return [{ ...about, ...namesOf(path), schema }]
  const section = bare(schema)
  if (!(section instanceof z.ZodObject))
    throw new Error(`${path.join('.')} is neither a setting nor a section`)
  return Object.entries(section.shape).flatMap(([key, inner]) =>
    settingsUnder(inner as z.ZodType, [...path, key]),
  )
}

function namesOf(path: readonly string[]): Pick<Setting, 'path' | 'env' | 'flag'> {
  const words = path.flatMap((key) => key.split(/(?=[A-Z])/)).map((word) => word.toLowerCase())
  return {
    path: path.join('.'),
    env: `HOLDFAST_${words.join('_').toUpperCase()}`,
    flag: `--${words.join('-')}`,
  }
}
