/** Does every step, also where one before it failed, and throws the first failure at the end; gives the most moved. */
export async function eachByItself(steps: readonly (() => Promise<number>)[]): Promise<number> {
  let most = 0
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      most = Math.max(most, await step())
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return most
}
