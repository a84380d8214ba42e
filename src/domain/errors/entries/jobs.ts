import { type ErrorEntry, exitCodes, itemLines, joined } from '../entry.ts'

/** Jobs, attempts and what may not happen to them. */
export const jobs = {
  E_TRANSITION_REFUSED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ machine, state, event }) => `A ${machine} that is ${state} does not take "${event}".`,
    hint: 'Nothing was changed. The timeline shows how it came to this state: holdfast job <id>.',
  },
  E_JOB_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ job }) => `No job ${job} is known here.`,
    hint: 'List what is known with: holdfast jobs --all',
  },
  E_SUBJECT_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ subject, tried }) => `Nothing is known as "${subject}". Looked for:${itemLines(tried)}`,
    hint: 'List what is known with: holdfast jobs --all, holdfast runners --ended 200. A pod that is not of Holdfast is read from its cluster: holdfast explain --namespace <namespace> <pod>',
  },
  E_SUBJECT_AMBIGUOUS: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ subject, meanings }) => `"${subject}" may mean several things:${itemLines(meanings)}`,
    hint: 'Ask again with the name that stands first in the line that you mean.',
  },
  E_RELEASE_REFUSED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ job, state }) =>
      `Job ${job} is not quarantined (it is ${state}): there is nothing to release.`,
    hint: 'Nothing was changed. Why a job waits is answered by: holdfast why <job>',
  },
  E_INSTALLATION_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ installation, known }) =>
      `No forge installation ${installation} is known here. Known: ${joined(known)}.`,
    hint: 'Nothing was changed. Whose each job is: holdfast jobs --json (installation).',
  },
  E_INSTALLATION_SERVED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ installation }) =>
      `The forge installation ${installation} is being served: its jobs run, and are not retired.`,
    hint: 'Nothing was changed. Single jobs of it: holdfast cancel <job>.',
  },
  E_INSTALLATION_NOT_SERVED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ job, installation, served }) =>
      `Job ${job} is of the forge installation ${installation}, which is not served now: ${served} is.`,
    hint: 'Nothing was asked of any forge. Serve that installation again (forge.kind, forge.url), or close its jobs: holdfast jobs retire --installation <name>',
  },
  E_ORDER_REFUSED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ order, job, reason }) => `The forge refused to ${order} (job ${job}): ${reason}`,
    hint: 'Nothing was changed. Where the job stands is shown by: holdfast job <id>',
  },
  E_ORDER_UNSUPPORTED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ order, job, reason }) => `This forge cannot ${order} (job ${job}): ${reason}`,
    hint: "Nothing was changed. It may be possible on the forge's own pages.",
  },
  E_LOG_ABSENT: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ job }) => `The forge has no log of job ${job}.`,
    hint: 'A log is there once the job has ended, and as long as the forge keeps it. What its runner wrote last: holdfast job <id>',
  },
  E_ATTEMPT_LOST: {
    status: 410,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ runner }) => `Runner ${runner} does not hold this attempt, or not any more.`,
    hint: 'The runner must not go on with it, and must end.',
  },
} as const satisfies Record<string, ErrorEntry>
