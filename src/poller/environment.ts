/** The environment variables of the poller; none of them is secret. */
export const names = {
  url: 'HOLDFAST_URL',
  runner: 'HOLDFAST_RUNNER',
  host: 'HOLDFAST_HOST',
  secretFile: 'HOLDFAST_SECRET_FILE',
  command: 'HOLDFAST_RUNNER_COMMAND',
  pollMs: 'HOLDFAST_POLL_MS',
  runAs: 'HOLDFAST_RUN_AS',
} as const

/** The only variables of our environment for a program that runs as a user of its own. */
const passedOn: readonly string[] = ['PATH', 'LANG', 'LC_ALL', 'TZ']

/** The marks by which the host finds every process of a runner; the runner's program inherits them. */
const marks: readonly string[] = [names.runner, names.host]
/** The poller's own cache of compiled sources: a job that could write to it would run in the next poller. */
const ownNodeSetting = 'NODE_COMPILE_CACHE'

export interface PollerSettings {
  readonly url: string
  readonly runner: string
  readonly secretFile: string
  readonly command: readonly [program: string, ...args: string[]]
  /** The server's long-poll time. */
  readonly pollMs: number
  /** The user of the program; null: the poller's own. */
  readonly runAs: RunAs | null
}

/** A user of the runner's own. */
export interface RunAs {
  readonly uid: number
  /** Its folder, with `work` and `tmp`. */
  readonly home: string
  /** The command prefix that switches to the user. */
  readonly through: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

const pollMsDefault = 55_000

/** The settings, or a sentence about what is wrong with them. */
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
  const pollMs = Number(env[names.pollMs] ?? pollMsDefault)
  if (!(pollMs > 0)) return `${names.pollMs}: expected a positive number, got "${env[names.pollMs]}"`
  const runAs = parseRunAs(env[names.runAs])
  if (typeof runAs === 'string') return runAs
  return { url: url.replace(/\/+$/, ''), runner, secretFile, command, pollMs, runAs }
}

/** The environment of a program that runs as a user of its own: built from scratch, without a trace of ours. */
export function userEnvironment(env: Environment, { uid, home }: RunAs): Record<string, string> {
  const kept = passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  const name = `runner-${uid}`
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    TMPDIR: `${home}/tmp`,
    USER: name,
    LOGNAME: name,
    SHELL: '/bin/sh',
  }
}

/** The environment of the runner's program: the poller's, without its own settings. */
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

/** Null where absent; a sentence where it is invalid: then nothing may run. */
function parseRunAs(text: string | undefined): RunAs | null | string {
  if (text === undefined || text === '') return null
  const wrong = `${names.runAs}: expected a user with uid, home and through as JSON`
  try {
    const { uid, home, through } = JSON.parse(text) as Partial<RunAs>
    if (!Number.isInteger(uid) || typeof home !== 'string' || !Array.isArray(through) || through.length === 0)
      return wrong
    return { uid: uid as number, home, through }
  } catch {
    return wrong
  }
}
