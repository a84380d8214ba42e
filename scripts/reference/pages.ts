import { auditJsonSchema } from '../../src/api/index.ts'
import { configJsonSchema } from '../../src/platform/config/index.ts'
import { auditsPage } from './audits.ts'
import { cliPage } from './cli.ts'
import { configPage } from './config.ts'
import { deathsPage } from './deaths.ts'
import { errorsPage } from './errors.ts'
import { incidentsPage } from './incidents.ts'
import { jobFailuresPage } from './job-failures.ts'
import { metricsPage } from './metrics.ts'
import { recoveryPage } from './recovery.ts'
import { runnerPoolPage } from './runner-pool.ts'
import { statesPage } from './states.ts'

export interface Page {
  /** Where it stands in the repository. */
  readonly path: string
  readonly render: () => string
}

const auditSchemaFile = (): string => schemaText(auditJsonSchema())
const configSchemaFile = (): string => schemaText(configJsonSchema())

/** Every page that is generated from the code; a test holds each equal to what stands in the repository. */
export const referencePages: readonly Page[] = [
  { path: 'docs/reference/audit.schema.json', render: auditSchemaFile },
  { path: 'docs/reference/audits.md', render: auditsPage },
  { path: 'docs/reference/cli.md', render: cliPage },
  { path: 'docs/reference/config.md', render: configPage },
  { path: 'docs/reference/config.schema.json', render: configSchemaFile },
  { path: 'docs/reference/deaths.md', render: deathsPage },
  { path: 'docs/reference/errors.md', render: errorsPage },
  { path: 'docs/reference/incidents.md', render: incidentsPage },
  { path: 'docs/reference/job-failures.md', render: jobFailuresPage },
  { path: 'docs/reference/metrics.md', render: metricsPage },
  { path: 'docs/reference/recovery.md', render: recoveryPage },
  { path: 'docs/reference/runnerpool.md', render: runnerPoolPage },
  { path: 'docs/reference/states.md', render: statesPage },
]

function schemaText(schema: unknown): string {
  return `${JSON.stringify(schema, null, 2)}\n`
}
