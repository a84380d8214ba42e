/** The number that a file holds; null for `max`, and for anything else. */
export function numberIn(text: string | null): number | null {
  if (text === null) return null
  const trimmed = text.trim()
  return /^\d+$/.test(trimmed) ? Number(trimmed) : null
}

/** The number behind a name at the beginning of a line, as `memory.stat` has them. */
export function fieldIn(text: string | null, name: string): number | null {
  if (text === null) return null
  const start = text.startsWith(`${name} `) ? 0 : text.indexOf(`\n${name} `) + 1
  if (start === 0 && !text.startsWith(`${name} `)) return null
  const value = Number.parseInt(text.slice(start + name.length + 1, start + name.length + 24), 10)
  return Number.isNaN(value) ? null : value
}

/** The share of the last 10 s in which somebody waited, from a file of pressures. */
export function pressureIn(text: string | null): number | null {
  const match = text === null ? null : /^some avg10=([\d.]+)/.exec(text)
  return match === null ? null : Number(match[1])
}

export function scaled(value: number | null, by: number): number | null {
  return value === null ? null : Math.round(value / by)
}
