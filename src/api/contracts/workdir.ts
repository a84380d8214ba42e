import { z } from 'zod'
import { findingSchema, unjudgedSchema } from './audit.ts'
import { isoTime } from './time.ts'

const folderVerdicts = ['healthy', 'contaminated', 'drift', 'stale-lock', 'in-use', 'unknown'] as const

const hostSchema = z.object({
  name: z.string(),
  place: z.string().describe('`this machine`, or the account and address that ssh is given.'),
  workFolder: z.string(),
  verdict: z.enum([...folderVerdicts, 'unreachable']),
  folders: z.array(
    z.object({
      name: z.string(),
      isRepository: z
        .boolean()
        .describe('False for what belongs to the runner itself: `_temp`, `_actions`, …'),
      verdict: z.enum(folderVerdicts),
    }),
  ),
  processes: z
    .array(
      z.object({
        pid: z.int(),
        role: z.enum(['worker', 'listener']),
        place: z.enum(['here', 'unknown']).describe('`unknown`: it may be of this runner.'),
      }),
    )
    .describe('Processes that are of this runner, or may be, seen before or after the folders were read.'),
})

/** The answer of `holdfast workdir audit --json`. */
export const workdirReportSchema = z.object({
  version: z.literal(1),
  at: isoTime,
  outcome: z.enum(['clean', 'findings', 'unjudged']),
  hosts: z.array(hostSchema),
  findings: z.array(findingSchema).describe('Worst first.'),
  unjudged: z.array(unjudgedSchema),
})
export type WorkdirReport = z.output<typeof workdirReportSchema>

/** The answer of `holdfast workdir triage --json`. */
export const workdirTriageSchema = z.object({
  version: z.literal(1),
  at: isoTime,
  asked: z.string(),
  runner: z.string().nullable().describe('As the forge or the log names it.'),
  line: z
    .object({ kind: z.enum(['not-removable', 'locked']), text: z.string(), path: z.string() })
    .nullable()
    .describe('The line of the log that leads to a work folder; null: there is none.'),
  host: z.string().nullable(),
  folder: z.string().nullable().describe('The folder of the repository in the work folder.'),
  verdict: z.enum(folderVerdicts).nullable().describe('Of that folder; null: the host was not looked at.'),
  unknown: z.array(z.object({ why: z.string(), needs: z.string().nullable() })),
  audit: workdirReportSchema.nullable().describe('Of that host; null: it was not looked at.'),
})
export type WorkdirTriage = z.output<typeof workdirTriageSchema>

/** The answer of `holdfast workdir reconcile --json`. */
export const workdirReconcileSchema = z.object({
  version: z.literal(1),
  at: isoTime,
  hosts: z.array(
    hostSchema.pick({ name: true, place: true, verdict: true }).extend({
      isDrained: z.boolean().describe('No Listener that may be of this runner was seen.'),
      next: z.object({
        kind: z.enum(['none', 'look-again', 'drain', 'remediate', 'start', 'person']),
        why: z.string(),
        command: z.string().nullable().describe('Null where a person acts, and where nothing is to do.'),
      }),
    }),
  ),
})
export type WorkdirReconcile = z.output<typeof workdirReconcileSchema>
