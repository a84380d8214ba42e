import { type ErrorEntry, exitCodes, joined } from '../entry.ts'

/** Runners and the hosts that run them. */
export const runners = {
  E_HOST_UNSUPPORTED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ platform }) => `Runners as local processes need Linux with /proc; this is ${platform}.`,
    hint: 'Run holdfast on Linux, on a virtual machine or in a container. Nothing was started.',
  },
  E_ROOT_RUNNERS: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ forge, reason }) => `Jobs of ${forge} would run as root on this machine. ${reason}`,
    hint: 'Nothing was started. Put that right, run Holdfast as another user, or allow it by name: --allow-root-runners (runners.allowRoot).',
  },
  E_HOST_FOLDER: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ folder, reason }) => `The runners' folder ${folder} cannot be used: ${reason}.`,
    hint: 'Nothing is concluded about runners until it can be read. Check its rights and its disk.',
  },
  E_HOST_RECORD: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ file, reason }) => `The record ${file} of a local runner is not readable: ${reason}.`,
    hint: "End what runs of this runner, move its folder out of the runners' folder, and start again.",
  },
  E_RUNNER_NAME: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ name }) =>
      `"${name}" cannot name a runner: expected 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit.`,
    hint: 'Nothing was started. Runners are named after their pool: give the pool another name.',
  },
  E_RUNNER_START: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ name, reason }) => `The runner ${name} could not be started: ${reason}.`,
    hint: 'Its ending says so too; a new runner gets a new name.',
  },
  E_POOL_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ pools }) => `No runner is enrolled for ${joined(pools)}: there never was such a pool.`,
    hint: 'Nothing was written. Pools become known from the pool file or from RunnerPool objects.',
  },
  E_RUNNER_ALIVE: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ name, pids }) => `The runner ${name} is not released: of it still live ${joined(pids)}.`,
    hint: 'Stop it first; nothing was removed.',
  },
  E_RUNNER_UNKILLABLE: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ name, pids }) => `Processes of the runner ${name} did not end by SIGKILL: ${joined(pids)}.`,
    hint: "They wait for the kernel (a dead disk or network mount) or are another user's; look at them with ps.",
  },
  E_RUNNER_POD_UNCERTAIN: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ name, uid }) =>
      `There is a pod "${name}" (UID ${uid}) without the marks of Holdfast, and the ledger does not know the UID of runner ${name}: whether it is the runner's cannot be said.`,
    hint: "Nothing is concluded from it. Where it is the runner's, give it back its label holdfast.dev/runner and its annotation holdfast.dev/host; else remove it.",
  },
  E_RUNNER_NOT_ENDED: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ name, why }) => `The pod of runner ${name} is not removed: ${why}.`,
    hint: 'Nothing was changed. It is removed once its end is seen, or its node counts as lost.',
  },
  E_RUNNER_REFUSED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: () => 'No runner of this name with this secret is enrolled.',
    hint: 'The runner must end: it was not started by this Holdfast.',
  },
  E_RUNNER_LEAVE: {
    status: 410,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ runner }) => `Runner ${runner} is given no job any more.`,
    hint: 'The runner must end: it was fenced, it has ended, or it used its one configuration.',
  },
} as const satisfies Record<string, ErrorEntry>
