import type { EndKind, Evidence, ForgeWord, JobFate } from '../binding/index.ts'
import type { Loss } from './loss.ts'

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
  /** `evenIfStarted` only where it is proven that no job of it is under way (I4). */
  | {
      readonly kind: 'stop-runner'
      readonly runnerName: string
      readonly reason: string
      readonly evenIfStarted: boolean
    }
  | { readonly kind: 'seal-vanished'; readonly runnerId: number }
  /** Its end cannot be seen any more: what is known is sealed as incomplete, and then it is given up. */
  | { readonly kind: 'seal-lost'; readonly runnerId: number; readonly loss: Loss }
  | { readonly kind: 'abandon'; readonly runnerName: string }
  | { readonly kind: 'look-again'; readonly inMs: number }
