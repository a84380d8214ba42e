import { parse } from 'yaml'
import { z } from 'zod'
import { bare } from '../../api/schema/index.ts'

/**
 * A value from text, as the environment and flags carry it: text as it stands, lists of text with commas,
 * everything else as YAML (so also JSON). What cannot be read stays text, and the schema refuses it.
 */
export function readText(schema: z.ZodType, text: string): unknown {
  const inner = bare(schema)
  if (inner instanceof z.ZodString || inner instanceof z.ZodEnum || inner instanceof z.ZodURL) return text
  if (isListOfText(inner) && !text.trimStart().startsWith('['))
    return text.split(',').map((item) => item.trim())
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch {
    return text
  }
}

function isListOfText(schema: z.ZodType): boolean {
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodString
}
