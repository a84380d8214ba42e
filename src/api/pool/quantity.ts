import { z } from 'zod'
import { parseQuantity } from '../../domain/quantity.ts'
import { inCluster, ruled } from './rule.ts'

const pattern = /^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/
const expected = 'an amount such as 500m, 2, 512Mi or 10Gi'
const textCharsMax = 32
const resourcesMax = 16

/** An amount of something, as Kubernetes writes it. People write numbers too. */
const quantity = ruled(
  z.union([z.string().max(textCharsMax, expected).regex(pattern, expected), z.int().min(0)], {
    error: expected,
  }),
  [],
  {
    schema: { 'x-kubernetes-int-or-string': true, maxLength: textCharsMax },
    rules: [{ expected, cel: `type(self) == int ? self >= 0 : self.matches(r'${pattern.source}')` }],
  },
)

/** Amounts by what they are of. */
export const quantities = z
  .record(z.string().min(1).max(253), quantity)
  .refine((amounts) => Object.keys(amounts).length <= resourcesMax, `at most ${resourcesMax} resources`)
inCluster.add(quantities, { schema: { maxProperties: resourcesMax } })

export type Quantities = z.output<typeof quantities>

/** Amounts as texts, as a pod has them. */
export function quantityTexts(amounts: Quantities): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]))
}

/** Whether no request is above its limit. */
export function isWithin(requests: Quantities, limits: Quantities): boolean {
  return Object.entries(requests).every(([name, amount]) => {
    const limit = limits[name]
    return limit === undefined || (parseQuantity(amount) ?? 0) <= (parseQuantity(limit) ?? 0)
  })
}
