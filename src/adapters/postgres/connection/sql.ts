/** A statement with its values apart; `name` makes the server keep its plan per connection. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string
}

export interface QueryResult<T> {
  readonly rows: readonly T[]
  readonly rowCount: number
}

/** Whatever statements run on: the pool, or one transaction. */
export interface Db {
  query<T = Record<string, unknown>>(statement: Sql): Promise<QueryResult<T>>
}

class Statement implements Sql {
  readonly text: string
  readonly values: readonly unknown[]

  constructor(text: string, values: readonly unknown[]) {
    this.text = text
    this.values = values
  }
}

/** Values become parameters, statements inside a statement become part of it; nothing is ever quoted by hand. */
export function sql(parts: TemplateStringsArray, ...inserts: readonly unknown[]): Sql {
  const values: unknown[] = []
  let text = parts[0] ?? ''
  inserts.forEach((insert, index) => {
    text += insert instanceof Statement ? renumbered(insert, values) : parameter(insert, values)
    text += parts[index + 1] ?? ''
  })
  return new Statement(text, values)
}

/** Names a hot statement, so that it is parsed and planned once per connection. One name, one text. */
export function prepared(name: string, statement: Sql): Sql {
  return { name, text: statement.text, values: statement.values }
}

/** Milliseconds since the epoch as a timestamptz parameter. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

function parameter(value: unknown, values: unknown[]): string {
  if (value === undefined) throw new TypeError('undefined is no SQL value; write null where null is meant')
  values.push(value)
  return `$${values.length}`
}

function renumbered(inner: Sql, values: unknown[]): string {
  const offset = values.length
  values.push(...inner.values)
  return inner.text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + offset}`)
}
