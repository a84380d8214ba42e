/** A schedule of five fields: which minutes of which local days it names. */
export interface Cron {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  /** Where both days of the month and days of the week are named, either of them is enough. */
  readonly isEitherDay: boolean
}

export type ParsedCron =
  | { readonly kind: 'cron'; readonly cron: Cron }
  | { readonly kind: 'wrong'; readonly problem: string }

type Values = ReadonlySet<number>
type Sets = readonly [Values, Values, Values, Values, Values]

interface Field {
  readonly noun: string
  readonly min: number
  readonly max: number
  readonly names: readonly string[]
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const fields: readonly Field[] = [
  { noun: 'minute', min: 0, max: 59, names: [] },
  { noun: 'hour', min: 0, max: 23, names: [] },
  { noun: 'day of the month', min: 1, max: 31, names: [] },
  { noun: 'month', min: 1, max: 12, names: monthNames },
  /** 7 is Sunday as well, so that `fri-7` can be written. */
  { noun: 'day of the week', min: 0, max: 7, names: weekdayNames },
]
const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** One item of a list: `*` or a value or a range, and perhaps a step. */
const itemPattern = /^(?:(\*)|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,2}))?$/i

/** Reads a schedule: lists, ranges, steps, and names of months and days, without regard to case. */
export function parseCron(text: string): ParsedCron {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== fields.length) {
    const got = text.trim() === '' ? 0 : parts.length
    return wrong(`five fields (minute, hour, day of the month, month, day of the week), not ${got}`)
  }
  const read = fields.map((field, index) => readField(parts[index] as string, field))
  const problem = read.find((values): values is string => typeof values === 'string')
  if (problem !== undefined) return wrong(problem)
  const [minutes, hours, days, months, weekdays] = read as readonly Values[] as Sets
  // As cron has it since long: a field that begins with a star names no days of its own, whatever its step.
  const isEitherDay = !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*')
  const cron = { minutes, hours, days, months, weekdays: sundayAsZero(weekdays), isEitherDay }
  if (!isEitherDay && !hasDay(cron)) return wrong(`a day that exists in one of its months, not "${text}"`)
  return { kind: 'cron', cron }
}

/** Whether a schedule names a day: `weekday` 0 is Sunday, `month` 1 January. */
export function namesDay(cron: Cron, month: number, day: number, weekday: number): boolean {
  if (!cron.months.has(month)) return false
  const [isDay, isWeekday] = [cron.days.has(day), cron.weekdays.has(weekday)]
  return cron.isEitherDay ? isDay || isWeekday : isDay && isWeekday
}

function readField(text: string, field: Field): Values | string {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const match = itemPattern.exec(item)
    if (match === null) return `${expected(field)}, not "${item}"`
    const [, star, from = '', to, step] = match
    const first = star ? field.min : numberOf(from, field)
    const last = star ? field.max : to === undefined ? (step ? field.max : first) : numberOf(to, field)
    if (first === null || last === null) return `${expected(field)}, not "${item}"`
    if (last < first) return `a range of the ${field.noun} that goes upwards, not "${item}"`
    if (step !== undefined && Number(step) === 0) return `a step of at least 1, not "${item}"`
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value)
  }
  return values
}

function numberOf(text: string, { min, max, names }: Field): number | null {
  const named = names.indexOf(text.toLowerCase())
  const value = named >= 0 ? named + (min === 1 ? 1 : 0) : /^[0-9]+$/.test(text) ? Number(text) : null
  return value === null || value < min || value > max ? null : value
}

function expected({ noun, min, max, names }: Field): string {
  const named = names.length > 0 ? ` or ${names[0]} to ${names.at(-1)}` : ''
  return `${noun === 'hour' ? 'an' : 'a'} ${noun} from ${min} to ${max}${named}, a range, a list or * with an optional /step`
}

function sundayAsZero(weekdays: Values): Values {
  return new Set([...weekdays].map((day) => day % 7))
}

function hasDay({ days, months }: Cron): boolean {
  const first = Math.min(...days)
  return [...months].some((month) => first <= (daysOfMonth[month - 1] ?? 0))
}

function wrong(problem: string): ParsedCron {
  return { kind: 'wrong', problem }
}
