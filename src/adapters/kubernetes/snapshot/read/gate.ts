/** Runs work when its turn comes. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>

/** Lets so many works run at once; the others wait in line. */
export function createGate(atOnceMax: number): Gate {
  const line: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnceMax) running += 1
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) running -= 1
      else next() // takes the place over
    }
  }
}
