import { z } from 'zod'
import {
  bare,
  configSchema,
  poolSchema,
  type Setting,
  settingList,
  settingsUnder,
  typeText,
} from '../../src/platform/config/index.ts'
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
    `## A pool\n\nEach item of \`pools\`:\n\n${poolTable()}`,
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

function poolTable(): string {
  const shape: Record<string, z.ZodType> = poolSchema.shape
  const rows = Object.entries(shape).flatMap(([key, schema]) => poolRows(schema, [key]))
  return table(['setting', 'takes', 'default', 'what it is for'], rows)
}

function poolRows(schema: z.ZodType, path: readonly string[]): string[][] {
  const inner = bare(schema)
  const own = settingsUnder(schema, path).map((setting) => [
    `\`${setting.path}\``,
    takes(setting),
    defaultText(setting),
    setting.description,
  ])
  const element = inner instanceof z.ZodArray ? bare(inner.element as z.ZodType) : inner
  if (!(element instanceof z.ZodObject)) return own
  const step = inner instanceof z.ZodArray ? [...path.slice(0, -1), `${path.at(-1)}[]`] : path
  const members = Object.entries(element.shape as Record<string, z.ZodType>)
  return [...own, ...members.flatMap(([key, member]) => poolRows(member, [...step, key]))]
}

function takes({ schema, secret }: Setting): string {
  const inner = bare(schema)
  const isOpened = inner === bare(configSchema.shape.pools) || inner instanceof z.ZodObject
  const text = isOpened ? 'see below' : typeText(schema).replace(/ of maps with .*/, '')
  return secret ? `${text}, **secret**` : text
}

function defaultText({ schema, defaultText: words }: Setting): string {
  if (words !== undefined) return words
  if (schema instanceof z.ZodDefault)
    return `\`${JSON.stringify(schema.def.defaultValue)}\``.replaceAll('"', '')
  return schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault ? 'none' : '**required**'
}
