import type { Command } from 'commander'
import { exitCodes } from '../../domain/errors/index.ts'
import { type ConfigRow, checkConfig, configJsonSchema, printConfig } from '../../platform/config/index.ts'
import { inputsFor, loadFor } from '../configuration.ts'
import { type Context, printResult } from '../context.ts'
import { define } from '../define.ts'

/** Adds the commands about the installation itself: settings, schema, keys. */
export function addOperations(program: Command, context: Context): void {
  const config = program.command('config').description('Look at the configuration.')
  const print = define(config, context, {
    name: 'print',
    description: 'Show each effective setting and where it came from; secrets are hidden.',
    example: 'HOLDFAST_HTTP_PORT=9000 holdfast config print',
    settings: 'all',
  })
  print.action((options: { json?: boolean }) => {
    const loaded = loadFor(print, context)
    const rows = printConfig(loaded)
    printResult(context, options, { file: loaded.file ?? null, settings: rows }, configText(rows, context))
  })

  const validate = define(config, context, {
    name: 'validate',
    description:
      'Check file, environment and options without starting anything: every mistake at once, with where it stands. Exit code 3 where there is one.',
    example: 'holdfast config validate --config holdfast.yaml',
    settings: 'all',
  })
  validate.action((options: { json?: boolean }) => {
    const { loaded, problems } = checkConfig(inputsFor(validate, context))
    if (loaded === null && !options.json) loadFor(validate, context) // throws the same error as every command
    if (loaded === null) context.exitCode = exitCodes.config
    const value = { valid: loaded !== null, file: loaded?.file ?? null, problems }
    const read = loaded?.file === undefined ? 'there is no file of settings' : `${loaded.file} was read`
    printResult(context, options, value, `The configuration is usable; ${read}.`)
  })

  const schema = define(config, context, {
    name: 'schema',
    description:
      'Print the JSON Schema of the file of settings, for editors (docs/reference/config.schema.json).',
    example: 'holdfast config schema > holdfast.schema.json',
    settings: 'none',
  })
  schema.action((options: { json?: boolean }) => {
    const found = configJsonSchema()
    printResult(context, options, found, JSON.stringify(found, null, 2))
  })

  const migrate = define(program, context, {
    name: 'migrate',
    description: "Bring the ledger's schema to what this program knows; `up` does the same by itself.",
    example: 'holdfast migrate --dry-run',
    settings: 'all',
  }).option('--dry-run', 'only say what would be applied')
  migrate.action(async (options: { json?: boolean; dryRun?: boolean }) => {
    const dryRun = options.dryRun === true
    const result = await context.roles.migrate(loadFor(migrate, context).config, { dryRun })
    printResult(context, options, result, migrationText(result))
  })

  const keys = program.command('keys').description('Look after the keys that seal secrets in the ledger.')
  const rotate = define(keys, context, {
    name: 'rotate',
    description: 'Make a new key the current one; what was not delivered yet is sealed again.',
    example: 'holdfast keys rotate',
    settings: 'all',
  })
  rotate.action(async (options: { json?: boolean }) => {
    const result = await context.roles.rotateKeys(loadFor(rotate, context).config)
    const text = `Key ${result.keyId} seals from now on; the older keys stay in the ring and open what they sealed.`
    printResult(context, options, result, text)
  })
}

function configText(rows: readonly ConfigRow[], { colors }: Context): string {
  return rows.map(({ path, value, origin }) => `${path} = ${value}  ${colors.dim(`(${origin})`)}`).join('\n')
}

function migrationText(result: {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}): string {
  const lines = [
    ...result.applied.map((file) => `applied ${file}`),
    ...result.pending.map((file) => `would apply ${file}`),
  ]
  return lines.length === 0 ? 'The schema is up to date.' : lines.join('\n')
}
