import { poolSchema, type Setting, settingList } from '../../src/platform/config/index.ts'
import { defaultText, fieldTable, takes } from './fields.ts'
import { page, table } from './markdown.ts'

/** docs/reference/config.md */
export function configPage(): string {
  const settings = settingList()
  const sections = Map.groupBy(settings, ({ path }) => (path.includes('.') ? (path.split('.')[0] ?? '') : ''))
  return page(
    'Configuration',
    intro,
    ...[...sections].map(
      ([name, members]) => `## ${name === '' ? 'General' : `\`${name}\``}\n\n${settingTable(members)}`,
    ),
    `## A pool\n\nEach item of \`pools\`. What a [RunnerPool](runnerpool.md) declares can be written here too; of that, local runners do
not need \`image\`, \`command\`, \`shape\`, \`resources\`, \`runtimeClass\`, \`dind\`, \`template\`, \`stopGraceSeconds\`,
\`vitals\` and \`evidence\`: these are checked and have no effect, so that one declaration serves for both places; the log
names them at the start.\n\n${fieldTable(poolSchema.shape)}`,
    `## Example\n\n\`\`\`yaml\n${example}\`\`\``,
  )
}

const intro = `Nothing has to be set. A value is taken from the first of these that has it:

1. a flag of the command line, named like the setting: \`http.port\` is \`--http-port\`;
2. the environment: \`HOLDFAST_HTTP_PORT\`; an empty value counts as not set;
3. a YAML file: \`--config\`, else \`HOLDFAST_CONFIG\`, else \`holdfast.yaml\` in the data folder if it is there;
4. the default.

Lists of text stand in the environment with commas, other lists and maps as YAML or JSON. Unknown names are
errors, in the file and in the environment (\`HOLDFAST_…\`). All problems are reported together, and nothing
starts until there is none. \`holdfast config print\` shows every value and where it came from.

A **secret** is never shown or logged. It may be given as \`file:/path\`: the content of that file, without white
space around it, is the value. The forge's secrets (\`forge.token\`, \`forge.app\`, \`forge.webhookSecrets\`) are read
again without a restart when the configuration's file or such a file has changed, also by a link that was turned; a
file that is broken or gone leaves the last good values in use, and the log says so. What stands in the environment or
in a flag itself cannot change.`

/** Checked by the test of this page: it is a valid file. */
export const example = `http:
  host: 0.0.0.0
databaseUrl: file:/run/secrets/database-url
databaseTls:
  mode: verify-full
pools:
  - name: linux
    labels: [self-hosted, linux, x64]
    minWarm: 2
    maxRunners: 20
    limits: { memoryMiB: 8192, cpus: 4, pids: 4096 }
    fairness:
      weights: { acme/web: 3 }
      capPerRepository: 10
    priorities:
      - { repository: acme/deploy, class: critical }
      - { repository: acme/*, job: nightly*, class: low }
`

function settingTable(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.path}\``,
    [setting.env, setting.envAlias]
      .filter((name) => name !== undefined)
      .map((name) => `\`${name}\``)
      .join(' or '),
    takes(setting),
    defaultText(setting),
    setting.flagAlias === undefined
      ? setting.description
      : `${setting.description} As a flag also \`${setting.flagAlias}\`.`,
  ])
  return table(['setting', 'environment', 'takes', 'default', 'what it is for'], rows)
}
