import { type ErrorEntry, exitCodes, itemLines } from '../entry.ts'

/** The command line. */
export const commands = {
  E_USAGE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ problem }) => `The command was not understood: ${problem}.`,
    hint: 'Every command explains itself: holdfast <command> --help',
  },
  E_SERVER_UNREACHABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ url, reason, from }) =>
      `No Holdfast answers at ${url}${from === undefined ? '' : ` (${from})`}: ${reason}.`,
    hint: 'Is "holdfast up" running? If it listens elsewhere, name it with --url or HOLDFAST_URL.',
  },
  E_INSTANCES_SEVERAL: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ running }) => `Several Holdfasts of this user run here:${itemLines(running)}`,
    hint: 'Name the one that is meant: --url or HOLDFAST_URL, --data-dir or HOLDFAST_DATA_DIR.',
  },
  E_LABELS_UNSERVED: {
    status: 409,
    retryable: true,
    exitCode: 1,
    message: ({ labels, pools }) => `No pool serves a job with the labels ${labels}:${itemLines(pools)}`,
    hint: 'Ask for labels that one pool has all of, or give a pool these labels (holdfast.yaml, RunnerPool). Nothing was submitted.',
  },
  E_SERVER_ANSWER: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ url, problem }) => `${url} answered what this program does not understand: ${problem}.`,
    hint: 'Check that the address is that of a Holdfast of the same version.',
  },
  E_FORGE_NOT_SIMULATED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ kind }) => `This Holdfast works for a real forge (${kind}); jobs are submitted there.`,
    hint: 'To try things out, start one with the simulated forge: holdfast up --forge-kind simulated',
  },
  E_LOG_UNREADABLE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ file, reason }) => `The log ${file} cannot be read: ${reason}.`,
    hint: 'Name a file that this user may read, or - for what is piped in.',
  },
  E_FORGE_FILE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ file, expected, got }) => `${file} is not as expected: expected ${expected}, got ${got}.`,
    hint: "Write it with GitHub's command line: gh api --paginate /orgs/<org>/actions/runners > runners.json, gh api --paginate /repos/<owner>/<repo>/actions/runs/<run>/jobs > jobs.json",
  },
  E_CONTRACT_INVALID: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ file, problems }) => `The contract file ${file} is not usable:${itemLines(problems)}`,
    hint: 'Nothing was judged. Its form is described in docs/contract-file.md; "holdfast contract init" writes one.',
  },
  E_GITLAB_CONFIG_UNREADABLE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ file, reason }) => `The file ${file} cannot be judged: ${reason}.`,
    hint: "Name GitLab Runner's config.toml as it is rendered: docs/audits/gitlab-toml.md says where it is.",
  },
  E_CONTRACT_UNWRITABLE: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, reason }) => `The contract was not written to ${file}: ${reason}.`,
    hint: 'Name a file that is not there yet, in a folder that this user may write to.',
  },
  E_JOB_BAD_END: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.badEnd,
    message: ({ job, outcome }) => `Job ${job} ended, and not well: ${outcome}.`,
    hint: 'Its story and the evidence: holdfast job <id>',
  },
  E_WAIT_OVER: {
    status: 504,
    retryable: true,
    exitCode: exitCodes.unfinished,
    message: ({ what, seconds }) => `${what} within ${seconds} s.`,
    hint: 'Nothing was given up, only the waiting. Why a job waits is answered by: holdfast why <job>',
  },
} as const satisfies Record<string, ErrorEntry>
