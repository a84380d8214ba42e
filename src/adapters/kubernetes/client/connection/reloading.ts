import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Log } from '../../../../ports/log.ts'
import type { Authentication, Credentials } from './credentials.ts'

/** A projected token is replaced long before it ends; a minute late is early enough. */
const rereadAfterMs = 60_000

export interface ReloadingOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Files by what they are; each is read again when it is older than a minute or was refused. */
  readonly tokenFile?: string | undefined
  readonly caFile?: string | undefined
  /** Both or none; a pair that does not belong together is as one that cannot be read. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** The part that does not come from these files. */
  readonly rest: Authentication
}

/**
 * Credentials in files that somebody else rotates. A file that cannot be read leaves the last good content in use
 * and is said; only where there never was one does it fail.
 */
export function reloadingCredentials(options: ReloadingOptions): Credentials {
  const { clock, log, rest } = options
  let good: Authentication | null = null
  let readAt = 0
  async function read(): Promise<Authentication> {
    const files = [options.tokenFile, options.caFile, options.certFile, options.keyFile]
    const [token, ca, cert, key] = await Promise.all(files.map(readContent))
    if (cert !== undefined && key !== undefined) requireMatchingPair(cert, key, `${options.certFile}`)
    const tls = { ...rest.tls, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
    return { authorization: token === undefined ? rest.authorization : `Bearer ${token.trim()}`, tls }
  }
  return {
    async authenticate() {
      const now = clock.now()
      const isDue = now - readAt >= rereadAfterMs || now < readAt
      if (good !== null && !isDue) return good
      try {
        good = await read()
        readAt = now
      } catch (error) {
        if (good === null) throw error
        log.warn(
          { err: error },
          'cluster credentials could not be read again; the last good ones stay in use',
        )
      }
      return good
    },
    invalidate() {
      readAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** Two files are not replaced in one moment: a certificate with the key of another would cut every connection. */
function requireMatchingPair(cert: string, key: string, source: string): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  } catch (error) {
    const reason = reasonOf(error)
    throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source, reason }, error)
  }
  const reason = 'the certificate and the key do not belong together'
  throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source, reason })
}

async function readContent(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  try {
    const content = await readFile(file, 'utf8')
    if (content.trim() === '') throw new Error('it is empty')
    return content
  } catch (error) {
    const reason = reasonOf(error)
    throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source: file, reason }, error)
  }
}
