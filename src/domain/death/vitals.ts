import type { Instant } from '../time.ts'

/** One line of the sampler in the runner. It runs next to untrusted code: a hint, never proof. */
export interface Vitals {
  readonly at: Instant
  /** Bytes or numbers; values that were not printed are absent. */
  readonly values: Readonly<Partial<Record<VitalKey, number>>>
}

export const vitalKeys = [
  ...(['mem_current', 'mem_peak', 'mem_max', 'oom', 'oom_kill', 'cpu_busy'] as const),
  ...(['psi_cpu', 'psi_mem', 'psi_io', 'load1', 'disk_free', 'inodes_free', 'fds', 'pids'] as const),
] as const
type VitalKey = (typeof vitalKeys)[number]

const vitalsMark = ' RUNNER_VITALS '
/** Ten minutes at one line each 3 s; older lines say nothing about the end. */
export const vitalsMax = 200
/** A sampler's line has some 300 characters; a longer line is not one. */
const lineCharsMax = 1_000
const known: ReadonlySet<string> = new Set(vitalKeys)
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const number = /^-?\d{1,20}(?:\.\d{1,9})?$/

/** The newest vitals of a log, oldest first. Values that cannot be parsed are left out. */
export function vitalsOf(tail: string, most = vitalsMax): readonly Vitals[] {
  const found: Vitals[] = []
  let end = tail.length
  while (found.length < most && end > 0) {
    const mark = tail.lastIndexOf(vitalsMark, end - 1)
    if (mark === -1) break
    const start = tail.lastIndexOf('\n', mark) + 1
    const stop = tail.indexOf('\n', mark)
    const one = lineOf(
      tail.slice(start, mark),
      tail.slice(mark + vitalsMark.length, stop === -1 ? undefined : stop),
    )
    if (one !== null) found.push(one)
    end = start
  }
  return found.reverse()
}

function lineOf(before: string, after: string): Vitals | null {
  const stamp = before.slice(before.lastIndexOf(' ') + 1) // a log that adds its own times puts them before ours
  if (after.length > lineCharsMax || !time.test(stamp)) return null
  const at = Date.parse(stamp)
  if (Number.isNaN(at)) return null
  const values: Partial<Record<VitalKey, number>> = {}
  for (const pair of after.split(' ')) {
    const equals = pair.indexOf('=')
    const key = pair.slice(0, equals)
    const text = pair.slice(equals + 1).trimEnd()
    if (equals > 0 && known.has(key) && number.test(text)) values[key as VitalKey] = Number(text)
  }
  return { at, values }
}
