/** The best of them counts: what disturbs only adds. */
const tries = 5
/** The long text is so many short ones. A square is as many times the work; what grows with the length is the same. */
const parts = 16
/** Less is the machine's own, not the work's. */
const noiseMs = 2

/**
 * How work grows with the length of what it is given: about 1 where it grows with the length, about 16 where it grows
 * with the square. By processor time, so that other programs on the machine do not count.
 */
export function growth(piece: string, chars: number, work: (text: string) => unknown): number {
  const short = piece.repeat(Math.ceil(chars / parts / piece.length))
  const long = short.repeat(parts)
  work(short) // whatever its first use compiles
  const ofLong = least(() => work(long))
  const ofShort = least(() => {
    for (let part = 0; part < parts; part += 1) work(short)
  })
  return ofLong / Math.max(ofShort, noiseMs)
}

function least(work: () => unknown): number {
  return Math.min(...Array.from({ length: tries }, () => processorMs(work)))
}

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Between what grows with the length and what grows with its square, with room for noise on both sides. */
export const linearAtMost = 6
