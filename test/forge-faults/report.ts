import { type ForgeNumbers, sumOf } from './forge/numbers.ts'

/** Calls by path, the most frequent first, each for one job, with what was not answered or not well. */
export function callLines(numbers: ForgeNumbers, jobs: number): string[] {
  const { spent, free } = sumOf(numbers)
  const paths = Object.entries(numbers.calls).toSorted(([, a], [, b]) => b.begun - a.begun)
  const lines = paths.map(([path, { begun, answered }]) => {
    const statuses = Object.entries(answered).map(([status, count]) => `${status}: ${count}`)
    const silent = begun - Object.values(answered).reduce((sum, count) => sum + count, 0)
    if (silent > 0) statuses.push(`no answer: ${silent}`)
    return `  ${(begun / jobs).toFixed(3).padStart(7)} a job  ${path}  (${statuses.join(', ')})`
  })
  return [
    `calls to the forge: ${spent} in all, ${(spent / jobs).toFixed(2)} a job; ${free} more cost nothing (304)`,
    ...lines,
  ]
}

export function tallyLine(what: string, tally: Readonly<Record<string, number>>): string {
  const parts = Object.entries(tally).map(([key, count]) => `${key} ${count}`)
  return `${what}: ${parts.length === 0 ? 'none' : parts.join(', ')}`
}
