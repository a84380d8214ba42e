const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** A duration as Go writes it, such as `1h0m0s`; null where the text is none. */
export function durationMsIn(text: string): number | null {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s))+$/.test(text)) return null
  return [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ''] ?? 0),
    0,
  )
}
