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
