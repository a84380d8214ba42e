import { type ErrorEntry, exitCodes, joined } from '../entry.ts'

/** Remedies: plans, runs and their trail. */
export const remedies = {
  E_PLAN_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ hash, place }) => `There is no plan ${hash} in ${place}. Nothing was done.`,
    hint: 'Name the whole hash that the dry run printed, with the data folder or DATABASE_URL with which it ran; or run the command without --apply to plan again.',
  },
  E_PLAN_DAMAGED: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ place, problem }) =>
      `The plan ${place} is not the one of its hash: ${problem}. Nothing was done.`,
    hint: 'It was edited, or another version wrote it. Run the command without --apply to plan again.',
  },
  E_REMEDY_BUSY: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ place, holder }) => `Another remedy runs with ${place} (${holder}). Nothing was done.`,
    hint: 'Wait for its end; what it did is listed by: holdfast trail list',
  },
  E_REMEDY_FENCED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.badEnd,
    message: ({ place }) =>
      `This run lost its lock in ${place}, and a later one has it: it does nothing more. Its last step is the last that the trail has of it.`,
    hint: 'The connection to the database was lost for a while. Look at its last object (holdfast trail list), then plan again.',
  },
  E_REMEDY_FORGE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.config,
    message: () =>
      'This remedy asks the forge before it acts, and no credential of GitHub is set. Nothing was done.',
    hint: 'Set HOLDFAST_FORGE_KIND=github and HOLDFAST_FORGE_TOKEN, or forge.app in the settings, with any HOLDFAST_FORGE_WEBHOOK_SECRETS; reading self-hosted runners is enough.',
  },
  E_REMEDY_GITLAB: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.config,
    message: () =>
      'A remedy asks GitLab about the jobs of a runner, and no token of GitLab is set. Nothing was done.',
    hint: 'Set HOLDFAST_GITLAB_TOKEN to a token with the scope read_api of a user who may read the runner, and HOLDFAST_GITLAB_URL where GitLab is your own.',
  },
  E_PLAN_OTHER: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ hash, expected, got }) =>
      `The plan ${hash} is one of ${got}; this command applies plans of ${expected}. Nothing was done.`,
    hint: 'Apply it with the command that the dry run printed.',
  },
  E_HOST_REFUSED: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ host, why }) => `${host} refuses: ${why}. Nothing was done.`,
    hint: 'Put right what the sentence names, and plan again (docs/workdirs.md).',
  },
  E_HOST_UNREADABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ host, why }) => `${host} could not be looked at: ${why}.`,
    hint: 'See what it needs: holdfast workdir audit <host>',
  },
  E_TRAIL_BROKEN: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ place, problem }) => `The trail in ${place} does not hold: ${problem}. Nothing was done.`,
    hint: 'Find out who changed it (holdfast trail verify). To begin a new one, move both files of the trail elsewhere; in the ledger, as docs/remedies.md says.',
  },
  E_TRAIL_UNREADABLE: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, reason }) => `The trail ${file} cannot be read: ${reason}.`,
    hint: 'Run it as the user whose data folder it is, or name the folder with --data-dir.',
  },
  E_APPLY_UNFINISHED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ id, state, sets }) =>
      `The apply ${id} is unfinished (in ${state}) and has the sets ${sets}. Nothing was done.`,
    hint: 'Finish it first: holdfast apply resume, or holdfast apply abort, which gives its caps back. See: holdfast apply status',
  },
  E_APPLY_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ id, unfinished }) =>
      `${id === '' ? 'Not exactly one apply is unfinished' : `There is no apply ${id} here`}; unfinished: ${joined(unfinished) || 'none'}. Nothing was done.`,
    hint: 'Name one, with the data folder in which it was begun; they are listed by: holdfast apply status',
  },
  E_APPLY_ASKS: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ id, command }) =>
      `The apply ${id} was interrupted while its command ran: ${command}. Nobody noted how that ended. It is not run again by itself. The caps are still frozen.`,
    hint: 'Find out how it ended, such as with helm status. Then: holdfast apply resume --command-done, or holdfast apply resume --rerun-command -- <the command>, or holdfast apply abort.',
  },
  E_APPLY_COMMAND: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ id, command }) =>
      `The apply ${id} has its command still to run: ${command}. No record keeps its arguments, which may be secrets. Nothing was done.`,
    hint: 'Give it again: holdfast apply resume -- <the command>; or: holdfast apply abort',
  },
  E_APPLY_RUNNING: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ id, command, pid }) =>
      `The command of the apply ${id} still runs as process ${pid}: ${command}. Nothing was done.`,
    hint: 'Wait for its end, or end it; then resume or abort the apply.',
  },
  E_APPLY_SITE: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ id, site, connected }) =>
      `The apply ${id} is of the cluster ${site}; connected to ${connected}. Nothing was done.`,
    hint: 'Name its cluster with --kubeconfig or --context.',
  },
  E_APPLY_FROZEN: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.badEnd,
    message: ({ id, sets, reason }) =>
      `The apply ${id} could not give the caps of ${sets} back: ${reason}. They may be frozen: such a set takes no jobs.`,
    hint: 'Repair what it says, then at once: holdfast apply abort',
  },
  E_APPLY_RECORD: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, problem }) =>
      `The record ${file} of an apply cannot be read: ${problem}. Nothing was done.`,
    hint: 'A set may be owed its caps: those that are frozen have the annotation holdfast.dev/managed-apply, and the trail has their caps (holdfast trail list). Give them back by hand, then move the file elsewhere.',
  },
} as const satisfies Record<string, ErrorEntry>
