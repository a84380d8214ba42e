import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, ProxyAgent } from 'undici'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'

export interface NetworkOptions {
  readonly proxy?: string | undefined
  /** PEM; trusted besides what is trusted anyway. */
  readonly caFile?: string | undefined
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` hold where no proxy is given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The settings that these are, for the error about a file without certificates. */
  readonly settings?: 'forge' | 'records.s3'
}

export interface Network {
  /** The dispatcher for `fetch`; undefined: the default one. */
  readonly dispatcher: Dispatcher | undefined
  close(): Promise<void>
}

/** The way to the forge or to a store: straight or through a proxy, with the authorities that are trusted on it. */
export function openNetwork({ proxy, caFile, env = {}, settings = 'forge' }: NetworkOptions): Network {
  const ca =
    caFile === undefined ? undefined : [...getCACertificates('default'), readAuthorities(caFile, settings)]
  const dispatcher = dispatcherOf(proxy, ca, env)
  return { dispatcher, close: async () => dispatcher?.destroy() }
}

function dispatcherOf(
  proxy: string | undefined,
  ca: string[] | undefined,
  env: NonNullable<NetworkOptions['env']>,
): Dispatcher | undefined {
  const tls = ca === undefined ? {} : { requestTls: { ca }, proxyTls: { ca } }
  if (proxy !== undefined) return new ProxyAgent({ uri: proxy, ...tls })
  const either = (name: string) => env[name.toLowerCase()] || env[name] || ''
  const [httpProxy, httpsProxy, noProxy] = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].map(either)
  if (httpProxy !== '' || httpsProxy !== '') {
    const options = { httpProxy, httpsProxy, noProxy, ...tls, ...(ca && { connect: { ca } }) }
    return new EnvHttpProxyAgent(options as EnvHttpProxyAgent.Options)
  }
  return ca === undefined ? undefined : new Agent({ connect: { ca } })
}

/** Read before anything is asked, so that a wrong file is said at the start and not as a failed call. */
function readAuthorities(file: string, settings: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    new X509Certificate(text)
    return text
  } catch (error) {
    const why = reasonOf(error)
    const problem = `${settings}.caFile: expected a file with certificates in PEM, got ${file}: ${why}`
    throw new HoldfastError('E_CONFIG_INVALID', { problems: [problem] }, error)
  }
}
