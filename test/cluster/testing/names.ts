import { statOf } from '../../../src/adapters/process/proc/index.ts'
import { down } from '../down.ts'
import { placeOf } from '../place.ts'
import { clusterNames } from '../status.ts'

/** In the environment of the tests: the suite that they belong to, by its pid. */
export const suiteVariable = 'HOLDFAST_CLUSTER_SUITE'
const form = /^suite-(\d+)-/

/** The name of a cluster of the suite that runs; it goes with the suite. */
export function suiteName(word: string): string {
  return `suite-${process.env[suiteVariable] ?? process.pid}-${word}`
}

/** Takes down what suites left that were killed. */
export async function endAbandoned(say: (line: string) => void): Promise<void> {
  for (const name of await clusterNames()) {
    const owner = form.exec(name)?.[1]
    if (owner === undefined || statOf(Number(owner)) !== null) continue
    say(`taking down ${name}, which a suite left that has ended`)
    await down(placeOf(name))
  }
}

/** Takes down what is left of this suite. */
export async function endSuite(suite: string): Promise<void> {
  for (const name of await clusterNames()) {
    if (name.startsWith(`suite-${suite}-`)) await down(placeOf(name))
  }
}
