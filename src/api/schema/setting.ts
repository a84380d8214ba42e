import { z } from 'zod'

/** The description of one setting, apart from its type; its names come from its path. */
export interface About {
  readonly description: string
  /** Never shown: not in a report, not by `config print`. May be given as `file:/path`. */
  readonly secret?: boolean
  /** Read again while the program runs, as the forge's secrets are. */
  readonly isReloaded?: boolean
  /** A name that other tools use for the same thing; ours wins. */
  readonly envAlias?: string
  /** A shorter flag for it. */
  readonly flagAlias?: string
  /** In place of a fixed default: how it is found. */
  readonly defaultText?: string
  /** The values that it takes, where its type does not say so. */
  readonly takesText?: string
}

/** Marks which schemas are settings; what is not here is a section. */
export const abouts = z.registry<About>()

/** Declares a setting: what it is for, and its schema with default. */
export function setting<T extends z.ZodType>(
  description: string,
  schema: T,
  more: Omit<About, 'description'> = {},
): T {
  abouts.add(schema, { description, ...more })
  return schema
}

/** A setting whose value is never shown. */
export function secret<T extends z.ZodType>(
  description: string,
  schema: T,
  more: Omit<About, 'description'> = {},
): T {
  return setting(description, schema, { ...more, secret: true })
}
