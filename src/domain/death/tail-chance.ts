/**
 * The probability that, of `drawn` taken at random out of `all`, at least `hits` are among the `marked` ones: the tail of
 * the hypergeometric distribution.
 */
export function tailChance(hits: number, drawn: number, marked: number, all: number): number {
  const most = Math.min(drawn, marked)
  if (hits <= Math.max(0, drawn + marked - all)) return 1
  if (hits > most) return 0
  const whole = logChoose(all, drawn)
  let sum = 0
  for (let each = hits; each <= most; each += 1) {
    sum += Math.exp(logChoose(marked, each) + logChoose(all - marked, drawn - each) - whole)
  }
  return Math.min(1, sum)
}

/** The probability of at least `hits` among `tries` that each hit with `share`: the tail of the binomial distribution. */
export function binomialTail(hits: number, tries: number, share: number): number {
  if (hits <= 0 || share >= 1) return 1
  if (hits > tries || share <= 0) return 0
  let sum = 0
  for (let each = hits; each <= tries; each += 1) {
    sum += Math.exp(logChoose(tries, each) + each * Math.log(share) + (tries - each) * Math.log1p(-share))
  }
  return Math.min(1, sum)
}

function logChoose(of: number, take: number): number {
  if (take < 0 || take > of) return Number.NEGATIVE_INFINITY
  return logFactorial(of) - logFactorial(take) - logFactorial(of - take)
}

/** Exact for small numbers; above, Stirling's series, which is right to ten digits from there. */
const exactBelow = 32

function logFactorial(n: number): number {
  if (n < exactBelow) {
    let product = 1
    for (let factor = 2; factor <= n; factor += 1) product *= factor
    return Math.log(product)
  }
  const x = n + 1
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3)
}
