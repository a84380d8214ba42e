import type { Remedy, RemedyFacts } from '../domain/remedy/index.ts'

/**
 * The answer to one act. `done`: it was taken on. `gone`, `conflict`: the object is not there, or not in the planned state any
 * more, and nothing was done. `unknown`: the answer was lost.
 */
type ActAnswer = 'done' | 'gone' | 'conflict' | 'unknown'

type Target<F extends RemedyFacts> = F['plan']['objects'][number]

/** How one remedy reads and acts. The machine knows nothing else of it, and calls `act` once for each object. */
export interface Treatment<F extends RemedyFacts = RemedyFacts> {
  readonly remedy: Remedy<F>
  /** All sources about one object, asked now. The source whose state the act names comes last. */
  readFresh(planned: Target<F>, signal: AbortSignal): Promise<F['fresh']>
  /** Acts on the object in exactly the planned state. Throws where it is refused: then nothing was done. */
  act(planned: Target<F>, signal: AbortSignal): Promise<ActAnswer>
  /** Whether the act stands, read again after an answer that was no plain yes. */
  isDone(planned: Target<F>, signal: AbortSignal): Promise<boolean>
  readAfter(planned: Target<F>, signal: AbortSignal): Promise<F['after']>
  /** Each place that the plan touches, to be proven at the end. */
  ends(plan: F['plan']): readonly RunEnd<F>[]
  readonly texts: TreatmentTexts<F>
}

interface RunEnd<F extends RemedyFacts> {
  readonly subject: string
  read(signal: AbortSignal): Promise<F['end']>
}

/** Sentences for the trail. */
interface TreatmentTexts<F extends RemedyFacts> {
  /** The act that is about to be done, with its preconditions. */
  toDo(planned: Target<F>): string
  readonly done: string
  readonly verified: string
  readonly proven: string
}
