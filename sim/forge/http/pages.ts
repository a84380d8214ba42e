import type { Context } from 'hono'

const perPageDefault = 30
const perPageMax = 100

/** The page of a list that was asked for, as GitHub cuts it, with the way to its neighbours in `Link`. */
export function page<T>(c: Context, items: readonly T[]): readonly T[] {
  const perPage = Math.min(positive(c.req.query('per_page'), perPageDefault), perPageMax)
  const number = positive(c.req.query('page'), 1)
  const last = Math.max(Math.ceil(items.length / perPage), 1)
  const links = neighbours(number, last).map(([rel, target]) => `<${addressOf(c, target)}>; rel="${rel}"`)
  if (links.length > 0) c.header('link', links.join(', '))
  return items.slice((number - 1) * perPage, number * perPage)
}

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise
}

function neighbours(number: number, last: number): (readonly [string, number])[] {
  const before = [
    ['prev', Math.min(number - 1, last)],
    ['first', 1],
  ] as const
  const after = [
    ['next', number + 1],
    ['last', last],
  ] as const
  return [
    ...(number > 1 ? before.slice(0, 1) : []),
    ...(number < last ? after : []),
    ...(number > 1 ? before.slice(1) : []),
  ]
}

function addressOf(c: Context, target: number): string {
  const url = new URL(c.req.url)
  url.searchParams.set('page', String(target))
  return url.href
}
