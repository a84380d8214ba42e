import { join } from 'node:path'
import { type Problem, problemText, valueAt } from '../../api/schema/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isRecord } from '../../domain/is-record.ts'
import { configEnv, type Environment, readEnvironment } from './environment.ts'
import { type ConfigFile, type ReadFile, readConfigFile } from './file.ts'
import { configFlag, type Flags, readFlags } from './flags.ts'
import { issueProblems } from './issue-problems.ts'
import { type Given, type Origin, originText } from './origin.ts'
import { type Config, configSchema } from './schema.ts'
import { resolveSecretFiles } from './secret-files.ts'
import { type Setting, settingList } from './settings.ts'

/** All that the configuration depends on. */
export interface ConfigInputs {
  readonly env: Environment
  readonly flags: Flags
  readonly readFile: ReadFile
  /** Root keeps its data in /var/lib. */
  readonly isRoot: boolean
}

export interface LoadedConfig {
  readonly config: Config
  /** Where each setting came from, by path. */
  readonly origins: ReadonlyMap<string, Origin>
  /** The file that was read, if there was one. */
  readonly file: string | undefined
}

const fileName = 'holdfast.yaml'

/** Defaults < file < environment < flags. Throws one E_CONFIG_INVALID that names every problem. */
export function loadConfig(inputs: ConfigInputs): LoadedConfig {
  const { loaded, problems } = checkConfig(inputs)
  if (loaded !== null) return loaded
  throw new HoldfastError('E_CONFIG_INVALID', { problems: [...new Set(problems.map(problemText))] })
}

/** Every problem of the configuration; the loaded configuration where there is none. */
export function checkConfig(inputs: ConfigInputs): {
  readonly loaded: LoadedConfig | null
  readonly problems: readonly Problem[]
} {
  const problems: Problem[] = []
  const settings = settingList()
  const above = new Map([
    ...readEnvironment(settings, inputs.env, problems),
    ...readFlags(settings, inputs.flags, problems),
  ])
  const defaultDataDir = findDataDir(inputs)
  const file = locateAndRead(inputs, String(above.get('dataDir')?.value ?? defaultDataDir ?? ''), problems)
  const origins = new Map(settings.map(({ path }) => [path, originOf(path, above, file)]))

  const raw = merge({ dataDir: defaultDataDir, ...file?.tree }, above)
  for (const setting of settings) {
    if (setting.secret) resolveInPlace(raw, setting, inputs.readFile, origins, problems)
  }
  const parsed = configSchema.safeParse(raw, { error: () => '' })
  for (const issue of parsed.error?.issues ?? []) {
    problems.push(...issueProblems(issue, raw, { settings, origins, file }))
  }
  if (problems.length > 0 || parsed.data === undefined) return { loaded: null, problems }
  return { loaded: { config: parsed.data, origins, file: file?.name }, problems }
}

function findDataDir({ env, isRoot }: ConfigInputs): string | undefined {
  if (isRoot) return '/var/lib/holdfast'
  if (env.XDG_DATA_HOME) return join(env.XDG_DATA_HOME, 'holdfast')
  return env.HOME ? join(env.HOME, '.local/share/holdfast') : undefined
}

function locateAndRead({ flags, env, readFile }: ConfigInputs, dataDir: string, problems: Problem[]) {
  const named = flags[configFlag] ?? (env[configEnv] || undefined)
  return readConfigFile(named ?? join(dataDir, fileName), named !== undefined, readFile, problems)
}

function originOf(path: string, above: ReadonlyMap<string, Given>, file: ConfigFile | undefined): Origin {
  const given = above.get(path)
  if (given !== undefined) return given.origin
  const steps = path.split('.')
  if (file === undefined || valueAt(file.tree, steps) === undefined) return { kind: 'default' }
  return { kind: 'file', file: file.name, line: file.lineOf(steps) }
}

function merge(tree: Record<string, unknown>, above: ReadonlyMap<string, Given>): Record<string, unknown> {
  const merged = structuredClone(tree)
  for (const [path, { value }] of above) setAt(merged, path.split('.'), value)
  return merged
}

/** A section that the file made something else stays what it is: the schema says so once. */
function setAt(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [step, ...rest] = path
  if (step === undefined) return
  if (rest.length === 0) {
    tree[step] = value
    return
  }
  tree[step] ??= {}
  const next = tree[step]
  if (isRecord(next)) setAt(next, rest, value)
}

function resolveInPlace(
  raw: Record<string, unknown>,
  { path }: Setting,
  readFile: ReadFile,
  origins: ReadonlyMap<string, Origin>,
  problems: Problem[],
): void {
  const steps = path.split('.')
  const value = valueAt(raw, steps)
  if (value === undefined) return
  const source = originText(origins.get(path) ?? { kind: 'default' })
  const resolved = resolveSecretFiles(value, readFile, (reference) => {
    problems.push({
      path,
      source,
      got: JSON.stringify(reference),
      expected: 'a file that is there and may be read',
    })
  })
  setAt(raw, steps, resolved)
}
