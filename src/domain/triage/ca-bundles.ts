import { caVariables } from '../job-failure/index.ts'
import type { TriageCase } from './case.ts'

const names: ReadonlySet<string> = new Set(caVariables)

/** The CA bundles that the job's runner is given, by its pod, else by the one set that it is of; null: neither was read. */
export function caBundlesOf({ pod, runner, sets }: TriageCase): readonly string[] | null {
  const [set, ...others] = sets
  const ofSet = runner !== null && others.length === 0 ? set?.template : undefined
  const containers = (pod ?? ofSet)?.containers.filter(({ isInit }) => !isInit) ?? []
  const container = containers.find(({ name }) => name === 'runner') ?? containers[0]
  if (container === undefined) return null
  return container.env
    .filter(({ name }) => names.has(name))
    .map(({ name, value, from, ref }) => `${name}=${value ?? `(from ${from} ${ref ?? ''})`}`)
}
