const suffixes: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}
const QUANTITY =
  /^([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))(?:([eE][+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/

/** A quantity of the API, such as `500m` or `1.5Gi`, as a number; null where it is none. */
export function quantityOf(text: unknown): number | null {
  if (typeof text === 'number') return Number.isFinite(text) ? text : null
  const found = typeof text === 'string' ? QUANTITY.exec(text) : null
  if (found === null) return null
  const [, digits, exponent, suffix = ''] = found
  if (exponent !== undefined) return Number(`${digits}${exponent}`)
  return Number(digits) * (suffixes[suffix] as number)
}
