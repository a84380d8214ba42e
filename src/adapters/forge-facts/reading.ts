import { isError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { ForgeFacts, Unread } from '../../domain/snapshot/index.ts'

/** Rights that a part needs; null: none. */
export type FactRights = Readonly<Record<keyof ForgeFacts, string | null>>

/** One reading of a forge: a part that fails is unread, and stops no other. */
export interface Reading {
  readonly unread: Readonly<Record<keyof ForgeFacts, Unread[]>>
  part<T>(kind: keyof ForgeFacts, what: string, read: () => Promise<T>): Promise<T | null>
}

export function createReading(rights: FactRights, signal: AbortSignal): Reading {
  const unread: Record<keyof ForgeFacts, Unread[]> = { budgets: [], jobs: [], logs: [], runners: [] }
  return {
    unread,
    async part(kind, what, read) {
      try {
        return await read()
      } catch (error) {
        signal.throwIfAborted()
        if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
        unread[kind].push({ what, why: reasonOf(error), needs: rights[kind] })
        return null
      }
    },
  }
}
