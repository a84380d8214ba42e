import type { Problem } from '../../api/schema/index.ts'
import { didYouMean } from '../../domain/did-you-mean.ts'
import type { Given } from './origin.ts'
import { readText } from './read-text.ts'
import type { Setting } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Names the file; the only name of ours that is no setting. */
export const configEnv = 'HOLDFAST_CONFIG'

const prefix = 'HOLDFAST_'

/** Kubernetes sets such names in each pod of a namespace with a service called holdfast. */
const serviceLinkName = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/
const serviceLinkValue = /^(tcp|udp|sctp):\/\//

/** The settings of the environment, by path; an empty value sets nothing. */
export function readEnvironment(
  settings: readonly Setting[],
  env: Environment,
  problems: Problem[],
): Map<string, Given> {
  const given = new Map<string, Given>()
  for (const setting of settings) {
    const name = [setting.env, setting.envAlias].find(
      (candidate) => candidate !== undefined && env[candidate],
    )
    if (name === undefined) continue
    given.set(setting.path, {
      value: readText(setting.schema, env[name] ?? ''),
      origin: { kind: 'env', name },
    })
  }
  problems.push(...unknownNames(settings, env))
  return given
}

function unknownNames(settings: readonly Setting[], env: Environment): Problem[] {
  const known = new Set([configEnv, ...settings.map((setting) => setting.env)])
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !known.has(name) && !isServiceLink(name, env[name]))
    .map((name) => ({
      path: name,
      source: 'environment',
      got: 'an unknown name',
      expected: expectedName(name, known),
    }))
}

function isServiceLink(name: string, value = ''): boolean {
  return serviceLinkName.test(name) || serviceLinkValue.test(value)
}

/** The expected name in place of an unknown one. */
export function expectedName(
  name: string,
  known: Iterable<string>,
  reference = 'docs/reference/config.md',
): string {
  const meant = didYouMean(name, known)
  return meant === undefined ? `a name from ${reference}` : `a known name; did you mean ${meant}?`
}
