import { type ErrorEntry, exitCodes, itemLines } from '../entry.ts'

/** The program itself: its configuration, parts and tasks. */
export const program = {
  E_BUG: {
    status: 500,
    retryable: false,
    exitCode: 1,
    message: ({ what }) => `Holdfast contradicted itself: ${what}.`,
    hint: 'This is a defect: please report it with the log around this line.',
  },
  E_CONFIG_INVALID: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ problems }) => `The configuration is not usable:${itemLines(problems)}`,
    hint: 'Nothing was started. Every setting is described in docs/reference/config.md.',
  },
  E_START_FAILED: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ part }) => `${part} did not start; what had started was stopped again.`,
    hint: 'The cause is named above; nothing is left running.',
  },
  E_PART_OVERDUE: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ part, act, boundMs }) => `${part} did not ${act} within ${boundMs} ms.`,
    hint: 'Look for what it waits for in the log; it is given up after this time.',
  },
  E_TASK_ENDED: {
    status: 500,
    retryable: true,
    exitCode: 1,
    message: ({ task }) => `The background task ${task} ended although nobody stopped it.`,
    hint: 'This is a defect: please report it with the log around this line.',
  },
  E_TASKS_FULL: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ task, max }) => `${max} background tasks run already; ${task} was not started.`,
    hint: 'Try again later; if it lasts, the log says which tasks do not end.',
  },
  E_PORT_IN_USE: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ host, port, taken }) =>
      taken === undefined
        ? `Port ${port} on ${host} is in use by another program.`
        : `Where Holdfast would listen, others do:${itemLines(taken)}`,
    hint: 'End that program, or choose another port (--http-port, --forge-simulated-port); 0 takes a free one.',
  },
  E_LISTEN_FAILED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ host, port, reason }) => `Holdfast may not listen on ${host}, port ${port}: ${reason}.`,
    hint: 'Choose an address of this machine and a port that this user may use: --http-host, --http-port.',
  },
} as const satisfies Record<string, ErrorEntry>
