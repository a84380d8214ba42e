import { z } from 'zod'
import { inCluster, ruled } from './rule.ts'

const pattern = /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/
const expected = 'an amount such as 500m, 2, 512Mi or 10Gi'
const CHARS_MAX = 32
const RESOURCES_MAX = 16
const suffixes: Readonly<Record<string, number>> = {
  ...{ m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
}

/** An amount of something, as Kubernetes writes it. People write numbers too. */
const quantity = ruled(
  z.union([z.string().max(CHARS_MAX, expected).regex(pattern, expected), z.int().min(0)], {
    error: expected,
  }),
  [],
  {
    schema: { 'x-kubernetes-int-or-string': true, maxLength: CHARS_MAX },
    rules: [{ expected, cel: `type(self) == int ? self >= 0 : self.matches(r'${pattern.source}')` }],
  },
)

/** Amounts by what they are of. */
export const quantities = z
  .record(z.string().min(1).max(253), quantity)
  .refine((amounts) => Object.keys(amounts).length <= RESOURCES_MAX, `at most ${RESOURCES_MAX} resources`)
inCluster.add(quantities, { schema: { maxProperties: RESOURCES_MAX } })

export type Quantities = z.output<typeof quantities>

/** Amounts as texts, as a pod has them. */
export function quantityTexts(amounts: Quantities): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))
}

/** Whether no request is above its limit. */
export function isWithin(requests: Quantities, limits: Quantities): boolean {
  return Object.entries(requests).every(([name, amount]) => {
    const limit = limits[name]
    return limit === undefined || amountOf(amount) <= amountOf(limit)
  })
}

function amountOf(amount: string | number): number {
  const text = String(amount)
  const [, suffix = ''] = /([A-Za-z]*)$/.exec(text) ?? []
  return Number(text.slice(0, text.length - suffix.length)) * (suffixes[suffix] ?? 1)
}
