import type { EndKind, Evidence, ForgeWord, JobFate } from '../binding/index.ts'

/** What a decision asks for. They are carried out in order, and the first that is refused ends the list. */
export type Action =
  /** Apply what the forge said when it was asked. */
  | { readonly kind: 'hear'; readonly word: ForgeWord }
  /** Take the registration away first: afterwards the forge cannot give that runner a job any more. */
  | {
      readonly kind: 'remove-registration'
      readonly installation: string
      readonly repository: string
      readonly forgeRunnerId: number
    }
  | {
      readonly kind: 'end-attempt'
      readonly handle: string
      readonly end: EndKind
      readonly evidence: Evidence | { readonly kind: 'stored'; readonly evidenceId: number } | null
      readonly fate: JobFate
    }
  | { readonly kind: 'mark-registered'; readonly handle: string }
  | { readonly kind: 'requeue-job'; readonly jobId: number }
  | { readonly kind: 'close-job'; readonly jobId: number; readonly conclusion: string }
  | { readonly kind: 'fence'; readonly runnerId: number; readonly reason: string }
  | { readonly kind: 'stop-runner'; readonly runnerName: string; readonly reason: string }
  | { readonly kind: 'seal-vanished'; readonly runnerId: number }
  | { readonly kind: 'look-again'; readonly inMs: number }
