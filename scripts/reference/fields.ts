import { z } from 'zod'
import { bare, configSchema, type Setting, settingsUnder, typeText } from '../../src/platform/config/index.ts'
import { table } from './markdown.ts'

/** The fields of an object and of all that is in it, one line each. */
export function fieldTable(shape: Readonly<Record<string, z.ZodType>>): string {
  const rows = Object.entries(shape).flatMap(([key, schema]) => fieldRows(schema, [key]))
  return table(['setting', 'takes', 'default', 'what it is for'], rows)
}

export function takes({ schema, secret, takesText }: Setting): string {
  const inner = bare(schema)
  const isOpened = inner === bare(configSchema.shape.pools) || inner instanceof z.ZodObject
  const text = takesText ?? (isOpened ? 'see below' : typeText(schema).replace(/ of maps with .*/, ''))
  return secret ? `${text}, **secret**` : text
}

export function defaultText({ schema, defaultText: words }: Setting): string {
  if (words !== undefined) return words
  if (schema instanceof z.ZodDefault)
    return `\`${JSON.stringify(schema.def.defaultValue)}\``.replaceAll('"', '')
  return schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? 'none' : '**required**'
}

function fieldRows(schema: z.ZodType, path: readonly string[]): string[][] {
  const inner = bare(schema)
  const own = settingsUnder(schema, path).map((setting) => [
    `\`${setting.path}\``,
    takes(setting),
    defaultText(setting),
    setting.description,
  ])
  const element = inner instanceof z.ZodArray ? bare(inner.element as z.ZodType) : inner
  if (!(element instanceof z.ZodObject)) return own
  const step = inner instanceof z.ZodArray ? [...path.slice(0, -1), `${path.at(-1)}[]`] : path
  const members = Object.entries(element.shape as Record<string, z.ZodType>)
  return [...own, ...members.flatMap(([key, member]) => fieldRows(member, [...step, key]))]
}
