import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { HoldfastError } from '../../../domain/errors/index.ts'

/** As libpq's sslmode: encrypted if possible; encrypted; from a known authority; and under the right name. */
type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

/** Overrides what the URL says. Files are PEM. */
export interface Tls {
  readonly mode?: TlsMode
  readonly caFile?: string
  readonly certFile?: string
  readonly keyFile?: string
}

/** Where the ledger's server is and how to talk to it. Holds the password: never log it. */
export interface ConnectionTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | undefined
  readonly database: string
  readonly ssl: false | ConnectionOptions
  /** Whether a server without TLS is taken as it is. */
  readonly plainAllowed: boolean
}

const modes: readonly TlsMode[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']
const knownParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'port', 'user', 'password']

/** Reads a postgres:// URL, with libpq's parameters for TLS; every problem is said without the password. */
export function targetOf(url: string, tls: Tls = {}): ConnectionTarget {
  const parsed = parse(url)
  const parameter = (name: string) => parsed.searchParams.get(name) ?? undefined
  for (const name of parsed.searchParams.keys()) {
    if (!knownParameters.includes(name)) {
      invalid(`the parameter "${name}" is not known (known: ${knownParameters.join(', ')})`)
    }
  }
  const mode = tls.mode ?? modeOf(parameter('sslmode'))
  const host = parameter('host') ?? unescaped(parsed.hostname)
  if (host === '') invalid('it names no host')
  const port = Number(parameter('port') ?? (parsed.port || 5432))
  if (!Number.isInteger(port) || port < 1 || port > 65535) invalid(`"${parameter('port')}" is no port`)
  const user = parameter('user') ?? unescaped(parsed.username)
  if (user === '') invalid('it names no user')
  const password = parameter('password') ?? unescaped(parsed.password)
  const files = {
    ca: pem(tls.caFile ?? parameter('sslrootcert'), 'authority'),
    cert: pem(tls.certFile ?? parameter('sslcert'), 'certificate'),
    key: pem(tls.keyFile ?? parameter('sslkey'), 'key'),
  }
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port,
    user,
    password: password === '' ? undefined : password,
    database: unescaped(parsed.pathname.slice(1)) || user,
    ssl: host.startsWith('/') ? false : sslOptions(mode, files),
    plainAllowed: mode === 'prefer',
  }
}

/** host:port/database, for messages. */
export function describeTarget({ host, port, database }: ConnectionTarget): string {
  return host.startsWith('/') ? `${host}/${database}` : `${host}:${port}/${database}`
}

function parse(url: string): URL {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return invalid('it is not a URL') // the cause would quote it, password and all
  }
  if (!['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    invalid(`it starts with "${parsed.protocol}" instead of "postgres:"`)
  }
  return parsed
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return invalid('it has a "%" that starts no escape; write %25 for the character itself')
  }
}

function modeOf(text: string | undefined): TlsMode {
  const mode = text ?? 'prefer'
  if ((modes as readonly string[]).includes(mode)) return mode as TlsMode
  return invalid(`sslmode is "${mode}", expected one of ${modes.join(', ')}`)
}

function pem(file: string | undefined, what: string): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new HoldfastError(
      'E_LEDGER_URL_INVALID',
      { problem: `the TLS ${what} file ${file} cannot be read` },
      error,
    )
  }
}

interface PemFiles {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

function sslOptions(mode: TlsMode, { ca, cert, key }: PemFiles): false | ConnectionOptions {
  if (mode === 'disable') return false
  const given = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  if (mode === 'verify-full') return { ...given, rejectUnauthorized: true }
  // As libpq: an authority that is given is checked, also where only encryption was asked for.
  const checked = mode === 'verify-ca' || ca !== undefined
  return { ...given, rejectUnauthorized: checked, checkServerIdentity: () => undefined }
}

function invalid(problem: string): never {
  throw new HoldfastError('E_LEDGER_URL_INVALID', { problem })
}
