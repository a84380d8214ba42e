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
  readonly tokenFile?: string
  readonly caFile?: string
  /** What does not come from those files. */
  readonly rest: Proof
}

/**
 * Credentials in files that somebody else rotates. A file that cannot be read leaves the last good content in use
 * and is said; only where there never was one does it fail.
 */
export function rereadingCredentials({ clock, log, tokenFile, caFile, rest }: RereadingOptions): Credentials {
  let good: Proof | null = null
  let readAt = 0
  async function read(): Promise<Proof> {
    const [token, ca] = await Promise.all([contentOf(tokenFile), contentOf(caFile)])
    const tls = ca === undefined ? rest.tls : { ...rest.tls, ca }
    return { authorization: token === undefined ? rest.authorization : `Bearer ${token}`, tls }
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

async function contentOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  try {
    const content = (await readFile(file, 'utf8')).trim()
    if (content === '') throw new Error('it is empty')
    return content
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HoldfastError('E_CLUSTER_CREDENTIALS', { source: file, reason }, error)
  }
}
