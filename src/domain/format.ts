/** Bytes as people read them. */
export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let [value, unit] = [count, 0]
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${units[unit]}`
}

/** A share as a percentage without decimals. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

export function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** `1 runner`, `2 runners`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A duration for people: two units at most. */
export function durationText(durationMs: number): string {
  const ms = Math.max(0, durationMs)
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s`
  if (ms < hourMs) return twoUnits(ms, minuteMs, 'min', secondMs, 's')
  if (ms < dayMs) return twoUnits(ms, hourMs, 'h', minuteMs, 'min')
  return twoUnits(ms, dayMs, 'd', hourMs, 'h')
}

function twoUnits(ms: number, unitMs: number, unit: string, restMs: number, rest: string): string {
  const whole = Math.floor(ms / unitMs)
  const part = Math.floor((ms % unitMs) / restMs)
  return part === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${part} ${rest}`
}
