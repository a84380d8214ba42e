import pg from 'pg'
import { HoldfastError } from '../../../domain/errors/index.ts'

const oids = {
  int8: 20,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  int8Array: 1016,
  timestamptzArray: 1185,
} as const

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [oids.int8, safeInteger],
  [oids.timestamptz, epochMs],
  [oids.int8Array, (text) => list(text, safeInteger)],
  [oids.timestamptzArray, (text) => list(text, epochMs)],
  // Without a zone there is no instant: these stay text, rather than become a guess in local time.
  [oids.timestamp, String],
  [oids.date, String],
])

/** How columns become values: timestamptz is epoch milliseconds, bigint is a number that is checked to be exact. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) ||
    pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new HoldfastError('E_BUG', { what: `the ledger returned ${text}, which no number holds exactly` })
}

const timestamp =
  /^(\d{4,6})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-])(\d\d)(?::(\d\d))?(?::\d\d)?$/

/** Sessions run in UTC, yet the offset is honoured: a role may have its own time zone. */
function epochMs(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  const match = timestamp.exec(text)
  if (match === null) throw new HoldfastError('E_BUG', { what: `the ledger returned "${text}" as a time` })
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes = '0'] =
    match
  const utc = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return utc + Number(fraction.padEnd(3, '0').slice(0, 3)) - (sign === '-' ? -offsetMs : offsetMs)
}

/** One-dimensional arrays of values that hold neither commas nor quotes. */
function list<T>(text: string, parse: (item: string) => T): (T | null)[] {
  const inner = text.slice(1, -1)
  if (inner === '') return []
  return inner.split(',').map((item) => (item === 'NULL' ? null : parse(item.replaceAll('"', ''))))
}
