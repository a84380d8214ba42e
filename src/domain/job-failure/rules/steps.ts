import { type FailedStep, isRunnerStep } from '../failed-step.ts'
import { isRunnerRuledOut, type KnownFailure, sentenceFor } from '../known.ts'
import { type JobFinding, likely } from '../verdict.ts'
import type { JobFailureRule } from './rule.ts'

const checkoutAction = /(?:^|[ /])actions\/checkout\b/
/** Tests of a shop are called checkout too: such a name counts only for the first step of the workflow. */
const checkoutName = /\bcheck ?out\b/i
const notRemovable = /EACCES: permission denied, (?:unlink|rmdir|scandir)[^\n]{0,200}/

/** Rules that go by the step in which the job failed. */
export const stepRules: readonly JobFailureRule[] = [
  {
    name: 'its runner could not set it up',
    gives: ['set-up-failed'],
    means: 'It failed in a step of the runner, before the first one of the workflow.',
    needs: 'The forge names "Set up job", "Initialize containers" or a pull as the step that failed.',
    mustNotConclude: 'That the code of the repository is at fault: none of it ran.',
    nextSteps: [
      'Read that step in the log: an action or image that cannot be fetched, or a service that did not start.',
    ],
    fires: (known) =>
      known.step !== null && isRunnerStep(known.step.name)
        ? ofStep('set-up-failed', known, known.step)
        : null,
  },
  {
    name: 'it failed in checkout',
    gives: ['checkout-failed'],
    means: 'The repository could not be fetched or unpacked; no code of it ran.',
    needs: 'The step that failed is actions/checkout, or the first step of the workflow and named so.',
    mustNotConclude:
      'That the tests failed. EACCES on files of an earlier job is for the operators of the host: no clean-up in the repository helps.',
    nextSteps: [
      'With EACCES: look at the owner of what is left under _work on that host; the folder of a repository there is scratch.',
      'Else: look at the access to the repository, and at the network of the runner.',
    ],
    fires: (known) => {
      const { step } = known
      if (step === null || !isCheckout(step)) return null
      const left = notRemovable.exec(step.log ?? '')?.[0]
      return ofStep(
        'checkout-failed',
        known,
        step,
        ...(left === undefined ? [] : [`Its log says: "${left}"`]),
      )
    },
  },
  {
    name: 'its own step failed',
    gives: ['own-step'],
    means:
      'A step of the workflow failed, such as its tests, and nothing points to the runner or its machine.',
    needs:
      'The step that failed. Proven where the forge names it, its log was read and has no other sign, its runner ended in order or lives, and cluster or agent counted no kill for memory.',
    mustNotConclude: 'That the step would fail elsewhere too: a server that it asked may have been away.',
    nextSteps: ['Read that step in the log; nothing of the runner is to be repaired.'],
    fires: (known) => (known.step === null ? unnamedStep(known) : ofStep('own-step', known, known.step)),
  },
]

/** The runner writes this line itself when a command of a step ends badly: then the runner was alive. */
const commandEnded = /^Process completed with exit code \d{1,3}\.?$/

function unnamedStep(known: KnownFailure): JobFinding | null {
  const sentence = sentenceFor(known, commandEnded)
  return sentence === null ? null : likely('own-step', sentence)
}

function isCheckout({ name, isFirstOwn }: FailedStep): boolean {
  return checkoutAction.test(name) || (isFirstOwn === true && checkoutName.test(name))
}

/** A step that the forge names did fail; whether something outside of it was the cause is ruled out, or it is likely only. */
function ofStep(
  failure: JobFinding['class'],
  known: KnownFailure,
  { name, source }: FailedStep,
  ...more: readonly string[]
): JobFinding {
  if (source === 'log') return likely(failure, `By its log, the step "${name}" failed.`, ...more)
  const because = [`The forge says that the step "${name}" failed.`, ...more]
  return { class: failure, confidence: isRunnerRuledOut(known) ? 'proven' : 'likely', because }
}
