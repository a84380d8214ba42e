import type { ContainerSpecFact, EnvFact, PodTemplateFact } from '../../snapshot/index.ts'
import type { ProbeKind } from './facts.ts'

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']
const trust = ['SSL_CERT_FILE', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']

/** The variables of a lane that a probe needs; it gets no other, and never a token. */
export const probeVariables: Readonly<Record<ProbeKind, readonly string[]>> = {
  'nix-cache': ['ATTIC_SERVER', 'ATTIC_CACHE', ...proxies, ...trust],
  'npm-tls': [...trust, ...proxies],
  'image-pull': [],
}

/** The container whose image a lane's jobs run in. */
export function runnerOf({ containers }: PodTemplateFact): ContainerSpecFact | null {
  const main = containers.filter(({ isInit }) => !isInit)
  return main.find(({ name }) => name === 'runner') ?? main[0] ?? null
}

/** The variables that the lane gives a probe, by names and origins; one that ends in `*` is looked for in a whole source. */
export function probeEnv(
  kind: ProbeKind,
  { env }: Pick<ContainerSpecFact, 'env'>,
): readonly Pick<EnvFact, 'name' | 'from' | 'ref'>[] {
  const wanted = probeVariables[kind]
  return env
    .filter(({ name }) => wanted.includes(name) || (name.endsWith('*') && wanted.length > 0))
    .map(({ name, from, ref }) => ({ name, from, ref }))
}
