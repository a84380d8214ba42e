import { isRunnerRuledOut, sentenceFor } from '../known.ts'
import { likely } from '../verdict.ts'
import type { JobFailureRule } from './rule.ts'

/** The runner's last words, or the forge's about it, where it did not report the job's end. */
const lostWords = /lost communication with the server|runner has received a shutdown signal/i
const timeWords = /exceeded the maximum execution time/i
const cancelWords = /operation was cancell?ed|Cancell?ing since a higher priority/i

/** Rules for jobs that did not end by a step of theirs. */
export const endRules: readonly JobFailureRule[] = [
  {
    name: 'its runner was lost',
    gives: ['lost-runner'],
    means: 'The runner went away while the job ran; the verdict about the runner says how.',
    needs: "The ledger's state of the job, or the forge's annotation that it lost communication.",
    mustNotConclude: 'That the repository or its tests are at fault: no step reported a failure.',
    nextSteps: [],
    fires: (known) => {
      const { runner, step } = known
      if (runner?.isLost) {
        const { end } = runner
        const how =
          end === null ? 'Its runner is gone.' : `Its runner ended: ${end.class}, ${end.confidence}.`
        const confidence = end?.confidence === 'proven' ? 'proven' : 'likely'
        return { class: 'lost-runner', confidence, because: [how] }
      }
      const words = sentenceFor(known, lostWords)
      if (words === null || step !== null) return null
      // A job can write annotations too: such a line alone proves nothing.
      return { ...likely('lost-runner', words), unknown: ['how its runner ended: no record of it is here'] }
    },
  },
  {
    name: 'it took too long',
    gives: ['timed-out'],
    means: 'It ran into the time limit of its workflow, or of its pool, and was ended for that.',
    needs:
      "The forge's conclusion timed_out, its words about the limit, or the ledger's note about the pool's.",
    mustNotConclude: 'That it hung: the log shows whether it was only slow.',
    nextSteps: [
      'See in the log which step was under way; a step that hangs needs a timeout of its own (timeout-minutes).',
    ],
    fires: (known) => {
      const words = sentenceFor(known, timeWords)
      if (known.runner?.end?.class === 'job-deadline')
        return likely('timed-out', 'It ran for longer than its pool allows.')
      if (known.job?.conclusion !== 'timed_out') return words === null ? null : likely('timed-out', words)
      const because = ['The forge says that it timed out.', ...(words === null ? [] : [words])]
      return { class: 'timed-out', confidence: isRunnerRuledOut(known) ? 'proven' : 'likely', because }
    },
  },
  {
    name: 'it was cancelled',
    gives: ['cancelled'],
    means: 'A person, a newer run of its concurrency group, or a failed job of its matrix ended it.',
    needs: "The forge's conclusion cancelled, or the log's words for that.",
    mustNotConclude: 'That something failed.',
    nextSteps: ["The run's page at the forge says who cancelled it."],
    fires: (known) => {
      const words = sentenceFor(known, cancelWords)
      const quoted = words === null ? [] : [words]
      const unknown = ['who cancelled it: a person, a newer run of its group, or a failed job of its matrix']
      if (known.job === null) return words === null ? null : { ...likely('cancelled', words), unknown }
      if (known.job.conclusion !== 'cancelled') return null
      const because = ['The forge says that it was cancelled.', ...quoted]
      return {
        class: 'cancelled',
        confidence: isRunnerRuledOut(known) ? 'proven' : 'likely',
        because,
        unknown,
      }
    },
  },
]
