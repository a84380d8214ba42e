/** What the poller reads from its environment; none of it is secret. */
export const names = {
  url: 'HOLDFAST_URL',
  runner: 'HOLDFAST_RUNNER',
  host: 'HOLDFAST_HOST',
  secretFile: 'HOLDFAST_SECRET_FILE',
  command: 'HOLDFAST_RUNNER_COMMAND',
  pollMs: 'HOLDFAST_POLL_MS',
} as const

/** By these the host finds every process of a runner, so the runner's program inherits them. */
const marks: readonly string[] = [names.runner, names.host]
/** The poller's own cache of compiled sources: a job that could write to it would run in the next poller. */
const ownNodeSetting = 'NODE_COMPILE_CACHE'

export interface PollerSettings {
  readonly url: string
  readonly runner: string
  readonly secretFile: string
  readonly command: readonly [program: string, ...args: string[]]
  /** How long the server holds a question open. */
  readonly pollMs: number
}

type Environment = Readonly<Record<string, string | undefined>>

const POLL_MS_DEFAULT = 55_000

/** The settings, or what is wrong with them. */
export function readSettings(env: Environment): PollerSettings | string {
  const url = env[names.url] ?? ''
  if (!/^https?:\/\/\S+$/.test(url) || !URL.canParse(url))
    return `${names.url}: expected http://… or https://…, got "${url}"`
  const runner = env[names.runner] ?? ''
  if (runner === '') return `${names.runner}: expected the name of this runner, got nothing`
  const secretFile = env[names.secretFile] ?? ''
  if (secretFile === '') return `${names.secretFile}: expected the path of a file, got nothing`
  const command = parseCommand(env[names.command] ?? '')
  if (command === null) return `${names.command}: expected a JSON array of strings, the program first`
  const pollMs = Number(env[names.pollMs] ?? POLL_MS_DEFAULT)
  if (!(pollMs > 0)) return `${names.pollMs}: expected a positive number, got "${env[names.pollMs]}"`
  return { url: url.replace(/\/+$/, ''), runner, secretFile, command, pollMs }
}

/** The environment of the runner's program: what the poller got, without what concerns the poller alone. */
export function childEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const isOurs = (name.startsWith('HOLDFAST_') && !marks.includes(name)) || name === ownNodeSetting
    if (value !== undefined && !isOurs) kept[name] = value
  }
  return kept
}

function parseCommand(text: string): PollerSettings['command'] | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value) || !value.every((part) => typeof part === 'string')) return null
    const [program, ...args] = value
    return typeof program === 'string' && program !== '' ? [program, ...args] : null
  } catch {
    return null
  }
}
