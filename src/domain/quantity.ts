const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}
const quantity =
  /^([+-]?(?:\d{1,32}(?:\.\d{0,32})?|\.\d{1,32}))(?:([eE][+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/

/** Parses a Kubernetes quantity such as `500m` or `1.5Gi`; null where the text is none. */
export function parseQuantity(text: unknown): number | null {
  if (typeof text === 'number') return Number.isFinite(text) ? text : null
  const found = typeof text === 'string' ? quantity.exec(text) : null
  if (found === null) return null
  const [, digits, exponent, suffix = ''] = found
  if (exponent !== undefined) return Number(`${digits}${exponent}`)
  return Number(digits) * (suffixes[suffix] as number)
}

const byteUnits = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'] as const

/** An amount as Kubernetes writes it: bytes of a memory or storage resource in the largest unit that is whole, parts in thousandths. */
export function quantityText(resource: string, amount: number): string {
  if (!Number.isInteger(amount)) {
    const thousandths = Math.round(amount * 1e3)
    return Math.abs(thousandths - amount * 1e3) < 1e-6 ? `${thousandths}m` : String(amount)
  }
  const unit =
    isBytes(resource) && amount !== 0
      ? byteUnits.find((name) => amount % (suffixes[name] as number) === 0)
      : undefined
  return unit === undefined ? String(amount) : `${amount / (suffixes[unit] as number)}${unit}`
}

function isBytes(resource: string): boolean {
  return resource === 'memory' || resource.endsWith('storage') || resource.startsWith('hugepages-')
}
