import { readFile, stat } from 'node:fs/promises'
import type { z } from 'zod'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { isRecord } from '../../../domain/is-record.ts'
import { reasonOf, systemCodeOf } from '../../../domain/reason.ts'
import { jsonDocuments } from './json-documents.ts'

/** 10,000 runners are some 10 MB. */
const fileBytesMax = 64 * 1024 * 1024
const shownCharsMax = 120

export interface AnswersInFile<T> {
  readonly items: readonly T[]
  /** The number of items that the forge counted; null where the file does not say it. */
  readonly countedAtForge: number | null
  readonly bytes: number
}

/**
 * Reads the items of a file with GitHub's answers: one page, pages one after the other or in an array (`gh api
 * --paginate`, with and without `--slurp`), or the bare items. Throws E_FORGE_FILE.
 */
export async function answersInFile<T extends { readonly id: number }>(
  path: string,
  key: 'runners' | 'jobs',
  schema: z.ZodType<T>,
): Promise<AnswersInFile<T>> {
  const text = await textOf(path)
  const parsed = jsonDocuments(text)
  const expected = `JSON with "${key}", as gh api prints it`
  if (parsed.kind === 'broken') {
    throw fileError(path, expected, `${parsed.why} (in the document at character ${parsed.atCharacter})`)
  }
  if (parsed.documents.length === 0) throw fileError(path, expected, 'an empty file')
  const items = new Map<number, T>()
  let countedAtForge: number | null = null
  for (const page of parsed.documents.flatMap((document) => pagesIn(document, key))) {
    if (page.kind === 'other') throw fileError(path, expected, page.got)
    countedAtForge = page.total === null ? countedAtForge : Math.max(countedAtForge ?? 0, page.total)
    for (const [index, given] of page.items.entries()) {
      const item = schema.safeParse(given)
      const [issue] = item.error?.issues ?? []
      const place = [...page.at, index, ...(issue?.path ?? [])].join('.')
      if (!item.success) throw fileError(path, `GitHub's documented fields at ${place}`, `${issue?.message}`)
      items.set(item.data.id, item.data)
    }
  }
  return { items: [...items.values()], countedAtForge, bytes: text.length }
}

/** The error for a file that is not as expected. */
export function fileError(file: string, expected: string, got: string): HoldfastError {
  return new HoldfastError('E_FORGE_FILE', { file, expected, got })
}

/** The text of a file that is not too large. Throws E_FORGE_FILE. */
export async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > fileBytesMax) throw fileError(path, `at most ${fileBytesMax} bytes`, `${size} bytes`)
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw fileError(path, 'a file that this user may read', systemCodeOf(error) ?? reasonOf(error))
  }
}

type Page =
  | {
      readonly kind: 'page'
      readonly items: readonly unknown[]
      readonly total: number | null
      readonly at: readonly string[]
    }
  | { readonly kind: 'other'; readonly got: string }

function pagesIn(document: unknown, key: string): readonly Page[] {
  if (Array.isArray(document)) {
    const isPages =
      document.length > 0 && document.every((each) => isRecord(each) && Array.isArray(each[key]))
    return isPages ? document.flatMap((each) => pagesIn(each, key)) : [pageOf(document, null, [])]
  }
  if (!isRecord(document)) return [{ kind: 'other', got: shown(document) }]
  const { [key]: items, total_count: total, message } = document
  if (Array.isArray(items)) return [pageOf(items, typeof total === 'number' ? total : null, [key])]
  if (typeof document.id === 'number') return [pageOf([document], null, [])]
  const got =
    typeof message === 'string'
      ? `GitHub's refusal "${message}"`
      : `an object with ${shown(Object.keys(document))}`
  return [{ kind: 'other', got }]
}

function pageOf(items: readonly unknown[], total: number | null, at: readonly string[]): Page {
  return { kind: 'page', items, total, at }
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, shownCharsMax)
}
