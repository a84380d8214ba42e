const decimal = /^\d+$/

/**
 * Orders two resourceVersions of one cluster: below 0 where `a` is older, null where they cannot be compared. An API
 * server's own versions are decimal numbers, those of an aggregated one may be anything.
 */
export function compareVersions(a: string, b: string): number | null {
  if (a === b) return 0
  if (!decimal.test(a) || !decimal.test(b)) return null
  // They are longer than a number is exact, and mostly of one length.
  return a.length - b.length || (a < b ? -1 : 1)
}

/** Whether `a` is known to be no newer than `b`. */
export function isNoNewer(a: string, b: string): boolean {
  const order = compareVersions(a, b)
  return order !== null && order <= 0
}
