import type { Clock } from '../../../../ports/clock.ts'
import type { Reads } from '../../client/index.ts'
import type { Mask } from '../parse/mask.ts'
import type { Gate } from './gate.ts'

/** One reading of a cluster. */
export interface ReadContext {
  readonly reads: Reads
  readonly clock: Pick<Clock, 'now'>
  readonly mask: Mask
  /** For lists of objects. */
  readonly listGate: Gate
  /** For requests that the API server hands on to a node. */
  readonly nodeGate: Gate
  readonly progress: (text: string) => void
  /** Ends with the caller's, or when the reading takes too long. */
  readonly signal: AbortSignal
  readonly callers: AbortSignal
}
