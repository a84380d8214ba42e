import { z } from 'zod'
import { severities } from '../../domain/audit/index.ts'
import { factSources } from '../../domain/snapshot/index.ts'
import { isoTime } from './time.ts'

/** The object that a finding is about. */
const subjectSchema = z.object({
  kind: z.string().describe('`scale-set`, `runner`, `listener`, `pod`, `node`, `label`, `credential`, …'),
  namespace: z.string().nullable().describe('Null for kinds without namespaces.'),
  name: z.string(),
})

export const findingSchema = z.object({
  class: z.string().describe('Stable name, as in docs/reference/audits.md.'),
  title: z.string(),
  severity: z.enum(severities),
  subject: subjectSchema,
  confidence: z
    .enum(['proven', 'likely'])
    .describe('`proven`: the facts leave no other reading. `likely`: they fit, and another reading is left.'),
  summary: z.string().describe('One sentence.'),
  evidence: z.array(
    z.object({
      source: z.enum(factSources),
      at: isoTime.nullable().describe('When the fact was read or came to be.'),
      text: z.string(),
    }),
  ),
  mustNotConclude: z.array(z.string()),
  nextAllowedAction: z.object({
    kind: z
      .enum(['read', 'change', 'person'])
      .describe('`read` changes nothing; `change` is a command that plans first; `person` needs a decision.'),
    text: z.string(),
    command: z.string().nullable().describe('A command that can be typed as it stands.'),
  }),
  page: z.string().nullable().describe('Page of the documentation.'),
})
export type ApiFinding = z.output<typeof findingSchema>

export const unjudgedSchema = z.object({
  class: z.string(),
  why: z.string(),
  needs: z.string().nullable().describe('How to get the missing fact; null where nothing is known to help.'),
  sets: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('The scale sets that it is about; absent: it may be about any.'),
})
export type ApiUnjudged = z.output<typeof unjudgedSchema>

/** The answer of `holdfast audit --json`. */
export const auditReportSchema = z.object({
  version: z.literal(1),
  at: isoTime.describe('When it was judged: ages count from here.'),
  snapshot: z.object({
    id: z.string(),
    takenAt: isoTime,
    cluster: z.string().nullable(),
    program: z.string().describe('The Holdfast that read the facts.'),
  }),
  audits: z.array(z.string()).describe('The audits that ran.'),
  scope: z
    .object({
      labels: z.array(z.string()).nullable(),
      namespaces: z.array(z.string()).nullable(),
      nodes: z.array(z.string()).nullable(),
      runner: z.string().nullable(),
    })
    .describe('The part that was asked for; null: everything.'),
  outcome: z
    .enum(['clean', 'findings', 'unjudged'])
    .describe(
      '`clean`: all was judged and nothing is wrong. `unjudged`: nothing found, and not all was judged.',
    ),
  findings: z.array(findingSchema).describe('Worst first.'),
  unjudged: z.array(unjudgedSchema).describe('Classes that a missing fact kept from being judged.'),
  failures: z
    .array(z.object({ audit: z.string(), why: z.string() }))
    .describe('Audits that broke: defects of Holdfast, not of the fleet.'),
  tables: z.array(
    z.object({
      audit: z.string(),
      title: z.string(),
      columns: z.array(z.string()),
      rows: z.array(z.array(z.string())),
    }),
  ),
})
export type AuditReport = z.output<typeof auditReportSchema>

/** The schema of `holdfast audit --json`, for other programs. */
export function auditJsonSchema(): z.core.JSONSchema.BaseSchema {
  return { ...z.toJSONSchema(auditReportSchema), title: 'Answer of holdfast audit --json' }
}
