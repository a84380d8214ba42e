import { configJsonSchema } from '../../src/platform/config/index.ts'
import { cliPage } from './cli.ts'
import { configPage } from './config.ts'
import { deathsPage } from './deaths.ts'
import { errorsPage } from './errors.ts'
import { incidentsPage } from './incidents.ts'
import { metricsPage } from './metrics.ts'
import { runnerPoolPage } from './runner-pool.ts'
import { statesPage } from './states.ts'

export interface Page {
  /** Where it stands in the repository. */
  readonly path: string
  readonly render: () => string
}

const configSchemaFile = (): string => `${JSON.stringify(configJsonSchema(), null, 2)}\n`

/** Every page that is generated from the code; a test holds each equal to what stands in the repository. */
export const referencePages: readonly Page[] = [
  { path: 'docs/reference/cli.md', render: cliPage },
  { path: 'docs/reference/config.md', render: configPage },
  { path: 'docs/reference/config.schema.json', render: configSchemaFile },
  { path: 'docs/reference/deaths.md', render: deathsPage },
  { path: 'docs/reference/errors.md', render: errorsPage },
  { path: 'docs/reference/incidents.md', render: incidentsPage },
  { path: 'docs/reference/metrics.md', render: metricsPage },
  { path: 'docs/reference/runnerpool.md', render: runnerPoolPage },
  { path: 'docs/reference/states.md', render: statesPage },
]
