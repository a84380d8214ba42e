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

/** How long ago a time of the API was when `now` was read. */
export function ageText(time: string, now: string): string {
  return durationText(Date.parse(now) - Date.parse(time))
}

function twoUnits(ms: number, unitMs: number, unit: string, restMs: number, rest: string): string {
  const whole = Math.floor(ms / unitMs)
  const part = Math.floor((ms % unitMs) / restMs)
  return part === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${part} ${rest}`
}
