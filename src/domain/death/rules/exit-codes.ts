import { logSaysDone } from '../forge.ts'
import type { Known } from '../known.ts'
import { type LogSigns, quote } from '../log.ts'
import { type Finding, likely, proven, unsure } from '../verdict.ts'
import { rule } from './rule.ts'

/** Exit codes of a shell for a program that is missing or cannot be run, and of Holdfast's programs where they are refused. */
const setupCodes: Readonly<Record<number, string>> = {
  78: 'a runner that was refused or is set up wrongly',
  126: 'a program that cannot be run',
  127: 'a program that is not there',
}

/** CRI-O reports this code, with the reason Error, where it finds no record of an end. */
const unseenToo = 255

/** The rule for a job that succeeded at the forge: nothing that came later can have harmed it. */
export const doneRule = rule({
  name: 'the forge says that its job succeeded',
  gives: ['clean'],
  means: 'The runner did its job, and the forge has the result.',
  needs: 'Exit code 0, and the job completed with success at the forge.',
  mustNotConclude: 'Nothing more: what happened to its pod after that is of no concern to the job.',
  nextSteps: [],
  proof: {
    rests: 'forge',
    argument:
      'A forge gives success only when the runner that has the job reports it, and ends the jobs of silent runners with failure or cancelled. So the runner lived to report the end of its job, and nothing that came after can have harmed it.',
  },
  fires: (known) =>
    known.ending.exitCode === 0 &&
    known.job?.forgeStatus === 'completed' &&
    known.job.conclusion === 'success'
      ? proven(
          'clean',
          'It ended with exit code 0.',
          'The forge says that its job succeeded.',
          ...oomOfJob(known),
        )
      : null,
})

/** Rules for an exit code where there is no other evidence. */
export const exitCodeRules = [
  rule({
    name: 'the forge lost its job',
    gives: ['completion-handshake'],
    means: 'The runner ended in order, and the forge did not learn of it, or has another end than the log.',
    needs:
      'Exit code 0, and a job that still runs at the forge long after that, or a failure that the log denies.',
    mustNotConclude: 'That the runner died: it ended by itself. The report of its end was lost.',
    nextSteps: ['See whether the forge or the way to it was disturbed then; run the job again.'],
    fires: handshake,
  }),
  rule({
    name: 'exit code 0',
    gives: ['clean'],
    means:
      'The runner ended by itself with exit code 0. Only the forge or the log can confirm that it ended in order.',
    needs:
      'Exit code 0. Likely where the forge or the log confirms it, unknown otherwise; success at the forge stands above.',
    mustNotConclude:
      'That the job succeeded; nor, unconfirmed, that all was well: launchers turn many codes into 0.',
    nextSteps: [],
    fires: (known) => (known.ending.exitCode === 0 ? clean(known) : null),
  }),
  rule({
    name: 'its log ends with its job done',
    gives: ['clean'],
    means: 'How it ended was not seen; the last that its program wrote is that its job was done.',
    needs: 'No exit code, and such a line as the last one of the runner.',
    mustNotConclude: 'That it is proven: the log can be written by its job.',
    nextSteps: ['Ask the forge what became of the job.'],
    fires: ({ ending, log }) =>
      ending.exitCode === null && ending.signal === null && ending.startedAt !== null && logSaysDone(log)
        ? likely('clean', 'Its exit code is not known.', doneLine(log))
        : null,
  }),
  rule({
    name: 'the exit code of a wrong set-up',
    gives: ['config-error'],
    means: 'The program of the runner is not there, cannot be run, or was refused.',
    needs: 'Exit code 126, 127 or 78.',
    mustNotConclude: 'That it is proven: a program may give these codes for reasons of its own.',
    nextSteps: ['Check the command of the pool and the image; read the last lines of the log.'],
    fires: ({ ending }) => {
      const means = setupCodes[ending.exitCode ?? 0]
      return means === undefined
        ? null
        : likely('config-error', `It ended with exit code ${ending.exitCode}, which stands for ${means}.`)
    },
  }),
  rule({
    name: 'another exit code',
    gives: ['failed'],
    means: 'The program of the runner ended with a code that has no meaning of its own here.',
    needs: 'An exit code that is not 0. Likely: that it ended so is certain, why it did is not.',
    mustNotConclude: 'That the job failed its own tests: then the runner ends with 0.',
    nextSteps: ['Read the last lines of the log.'],
    fires: ({ ending, pod }) => {
      const { exitCode } = ending
      if (exitCode === null || exitCode === 0) return null
      const isUnseen = exitCode === unseenToo && pod !== null
      const unknown = isUnseen
        ? ['whether it ended so: some runtimes say 255 of an end that they did not see']
        : []
      return {
        ...likely('failed', `It ended with exit code ${exitCode}.`),
        unknown: ['why it did', ...unknown],
      }
    },
  }),
]

function handshake({ ending, job, forge, log }: Known): Finding | null {
  if (ending.exitCode !== 0 || job === null || forge !== 'lost') return null
  const isOver = job.forgeStatus === 'completed'
  const at = (isOver ? job.forgeCompletedAt : job.heardAt) ?? ending.endedAt
  const lateS = Math.round((at - ending.endedAt) / 1000)
  const when = lateS > 0 ? `, ${lateS} s after that` : ''
  return likely(
    'completion-handshake',
    'It ended with exit code 0.',
    ...(log.jobResult === undefined ? [] : [quote(log, 'jobResult')]),
    `The forge says that its job is ${isOver ? `over with ${job.conclusion}` : job.forgeStatus}${when}.`,
  )
}

function clean(known: Known): Finding {
  const { job, forge, log } = known
  const because = ['It ended with exit code 0.', ...oomOfJob(known)]
  if (forge === 'agrees') {
    // A runner that is asked to stop reports its job as cancelled, and also ends with 0.
    return {
      ...likely('clean', ...because, `The forge says ${job?.conclusion} for its job.`),
      unknown: [unconfirmed.agrees],
    }
  }
  const isDone = logSaysDone(log)
  if (isDone) because.push(doneLine(log))
  if (forge === 'fits') because.push(`The forge said ${job?.conclusion} for its job when it ended.`)
  const open = isDone || forge === 'fits' ? likely('clean', ...because) : unsure('clean', ...because)
  return { ...open, unknown: [unconfirmed[forge]] }
}

const unconfirmed = {
  agrees: 'whether somebody cancelled its job, or its runner did because it was asked to stop',
  'no-job': 'whether it had a job: none is known',
  fits: 'whether its runner reported the failure that the forge has, which the time fits',
  silent: 'whether the forge knows the end of its job: it has not said so yet',
  unclear: 'whether the forge says failure since its job failed, or since it lost the runner',
  lost: 'whether the forge knows the end of its job',
}

/** Questions of a clean end that a step which its runner reported as failed answers. */
export const answeredByStep: readonly string[] = [unconfirmed.fits, unconfirmed.unclear]

function doneLine(log: LogSigns): string {
  return quote(log, log.jobResult === undefined ? 'inOrder' : 'jobResult')
}

function oomOfJob({ ending: { oomKills }, runner }: Known): string[] {
  if (!oomKills && runner?.reason !== 'OOMKilled') return []
  const who = oomKills ? `The kernel killed ${oomKills} process(es) of its job` : 'Something in it was killed'
  return [`${who} at the memory limit; the runner lived on.`]
}
