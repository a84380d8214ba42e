import type { Problem } from '../../api/schema/index.ts'
import { didYouMean } from './did-you-mean.ts'
import type { Given } from './origin.ts'
import { readText } from './read-text.ts'
import type { Setting } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Names the file; the only name of ours that is no setting. */
export const CONFIG_ENV = 'HOLDFAST_CONFIG'

const PREFIX = 'HOLDFAST_'

/** Kubernetes puts such names into each pod beside a service called holdfast. */
const SERVICE_LINK_NAME = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/
const SERVICE_LINK_VALUE = /^(tcp|udp|sctp):\/\//

/** What the environment sets, by path; an empty value sets nothing. */
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
  const known = new Set([CONFIG_ENV, ...settings.map((setting) => setting.env)])
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !isServiceLink(name, env[name]))
    .map((name) => ({
      path: name,
      source: 'environment',
      got: 'an unknown name',
      expected: expectedName(name, known),
    }))
}

function isServiceLink(name: string, value = ''): boolean {
  return SERVICE_LINK_NAME.test(name) || SERVICE_LINK_VALUE.test(value)
}

/** What to say instead of an unknown name. */
export function expectedName(name: string, known: Iterable<string>): string {
  const meant = didYouMean(name, known)
  return meant === undefined ? 'a name from docs/reference/config.md' : `a known name; did you mean ${meant}?`
}
