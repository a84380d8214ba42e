import type { ContainerSpecFact, EnvFact } from '../../../../domain/snapshot/index.ts'
import { amounts, type Cursor, each, has, inside, name, nameNeeded, words } from './cursor.ts'

/** The variables whose values audits judge: servers, caches, paths of certificates, and ARC's own. All else may be a secret. */
const judgedEnv = new Set([
  'ATTIC_SERVER',
  'ATTIC_CACHE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NIX_SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'DOCKER_HOST',
  'ACTIONS_RUNNER_CONTAINER_HOOKS',
  'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER',
  'ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE',
  'GITHUB_ACTIONS_RUNNER_EXTRA_USER_AGENT',
])
const valueCharsMax = 300

/** Containers of a pod's spec: first those that start first. */
export function parseContainers(spec: Cursor): readonly ContainerSpecFact[] {
  return [
    ...each(spec, 'initContainers').map((container) => parseContainer(container, true)),
    ...each(spec, 'containers').map((container) => parseContainer(container, false)),
  ]
}

/** Images by the names of their containers. */
export function imagesIn(spec: Cursor): Readonly<Record<string, string>> {
  return Object.fromEntries(each(spec, 'containers').map((each) => [nameNeeded(each, 'name'), imageOf(each)]))
}

function parseContainer(container: Cursor, isInit: boolean): ContainerSpecFact {
  const resources = inside(container, 'resources')
  const limits = amounts(resources, 'limits')
  return {
    name: nameNeeded(container, 'name'),
    isInit,
    isSidecar: isInit && name(container, 'restartPolicy') === 'Always',
    image: imageOf(container),
    // A template has them not yet: the API takes a limit for a request where nothing else is said.
    requests: { ...limits, ...amounts(resources, 'requests') },
    limits,
    env: [...each(container, 'envFrom').flatMap(parseEnvFrom), ...each(container, 'env').map(parseEnv)],
  }
}

/** Empty where the template leaves it to defaults. */
function imageOf(container: Cursor): string {
  return words(container, 'image') ?? ''
}

function parseEnv(env: Cursor): EnvFact {
  const named = nameNeeded(env, 'name')
  const source = inside(env, 'valueFrom')
  if (has(source, 'secretKeyRef')) return envFrom(named, 'secret', inside(source, 'secretKeyRef'))
  if (has(source, 'configMapKeyRef')) return envFrom(named, 'config-map', inside(source, 'configMapKeyRef'))
  if (has(env, 'valueFrom')) return { name: named, value: null, from: 'field', ref: null }
  const value = judgedEnv.has(named) ? words(env, 'value', valueCharsMax) : null
  return { name: named, value, from: 'value', ref: null }
}

function parseEnvFrom(source: Cursor): readonly EnvFact[] {
  const every = `${name(source, 'prefix') ?? ''}*`
  if (has(source, 'secretRef')) return [envFrom(every, 'secret', inside(source, 'secretRef'))]
  if (has(source, 'configMapRef')) return [envFrom(every, 'config-map', inside(source, 'configMapRef'))]
  return []
}

function envFrom(named: string, from: 'secret' | 'config-map', ref: Cursor): EnvFact {
  return { name: named, value: null, from, ref: name(ref, 'name') }
}
