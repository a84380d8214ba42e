import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Credentials, Proof } from './credentials.ts'

/** A projected token is replaced long before it ends; a minute late is early enough. */
const REREAD_AFTER_MS = 60_000

export interface RereadingOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Files by what they are; each is read anew when it is older than a minute or was refused. */
  readonly tokenFile?: string | undefined
  readonly caFile?: string | undefined
  /** Both or none; a pair that does not belong together is as one that cannot be read. */
  readonly certFile?: string | undefined
  readonly keyFile?: string | undefined
  /** What does not come from those files. */
  readonly rest: Proof
}

/**
 * Credentials in files that somebody else rotates. A file that cannot be read leaves the last good content in use
 * and is said; only where there never was one does it fail.
 */
export function rereadingCredentials(options: RereadingOptions): Credentials {
  const { clock, log, rest } = options
  let good: Proof | null = null
  let readAt = 0
  async function read(): Promise<Proof> {
    const files = [options.tokenFile, options.caFile, options.certFile, options.keyFile]
    const [token, ca, cert, key] = await Promise.all(files.map(contentOf))
    if (cert !== undefined && key !== undefined) mustBelongTogether(cert, key, `${options.certFile}`)
    const tls = { ...rest.tls, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
    return { authorization: token === undefined ? rest.authorization : `Bearer ${token.trim()}`, tls }
  }
  return {
    async prove() {
      const now = clock.now()
      const isDue = now - readAt >= REREAD_AFTER_MS || now < readAt
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
    forget() {
      readAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** Two files are not replaced in one moment: a certificate with the key of another would cut every connection. */
function mustBelongTogether(cert: string, key: string, source: string): void {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source, reason }, error)
  }
  const reason = 'the certificate and the key do not belong together'
  throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source, reason })
}

async function contentOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  try {
    const content = await readFile(file, 'utf8')
    if (content.trim() === '') throw new Error('it is empty')
    return content
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source: file, reason }, error)
  }
}
