import type { EndKind, Evidence, JobEvent, JobFate } from '../job-event/index.ts'
import type { Loss } from './loss.ts'

/**
 * An action of a decision. Actions are applied in order, and the first that is refused ends the list. Decisions store them
 * as they are: kinds and fields are stored names.
 */
export type Action =
  /** Apply the job event that the forge returned when it was asked. */
  | { readonly kind: 'hear'; readonly word: JobEvent }
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
  /** Its job ran for longer than its pool lets one run. */
  | {
      readonly kind: 'note-past-deadline'
      readonly handle: string
      readonly limitMs: number
      readonly ranMs: number
    }
  /** The forge is asked to cancel, and its answer is noted. It cancels whole runs. */
  | {
      readonly kind: 'cancel-run'
      readonly handle: string
      readonly limitMs: number
      readonly ranMs: number
      readonly installation: string
      readonly repository: string
      readonly runId: number
    }
  /**
   * `evenIfStarted` only where it is proven that no job of it is under way (I4), or where the limit that the owner of its
   * pool set for a job is past.
   */
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
