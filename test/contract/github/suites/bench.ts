import type { Answered } from '../../../../sim/forge/testing/kit.ts'
import type { ContractForge } from '../forge.ts'

/** The forge of the test that runs, and calls to it. */
export interface Bench {
  readonly forge: () => ContractForge
  readonly get: (path: string, bearer?: string) => Promise<Answered>
  readonly status: (method: string, path: string, body?: unknown, bearer?: string) => Promise<number>
  /** Lets the forge's clock be so far ahead. */
  readonly goOn: (awayMs: number) => void
}
