import { parse } from 'yaml'
import { type Contexts, evaluate, interpolate, Unsupported } from './expressions.ts'
import type { Task } from './service.ts'

export interface Step {
  readonly script: string
  readonly shell: 'sh' | 'bash'
  readonly env: Readonly<Record<string, string>>
  /** Relative to the job's folder. */
  readonly folder: string
  readonly timeoutMs: number
  readonly condition: string | undefined
  readonly mayFail: boolean
}

/** The work of a task, in the order in which it is done. */
export interface Plan {
  readonly name: string
  readonly condition: string | undefined
  readonly timeoutMs: number
  readonly stepCount: number
  readonly steps: readonly Step[]
  /** Why this runner cannot do it; then no step is run. */
  readonly refusal: string | null
}

const minuteMs = 60_000
const jobMinutesDefault = 360
const minutesMax = 7 * 24 * 60

/** Keys that this runner understands, or that mean nothing to a runner; all others are refused by name. */
const jobKeys = new Set([
  ...['name', 'needs', 'runs-on', 'env', 'if', 'steps', 'timeout-minutes', 'strategy', 'defaults'],
  ...['permissions', 'concurrency'],
])
const stepKeys = new Set([
  ...['id', 'name', 'run', 'env', 'working-directory', 'timeout-minutes', 'shell', 'if', 'continue-on-error'],
])

type Mapping = Readonly<Record<string, unknown>>

/** Reads the one job that Gitea sent. It has spread the matrix already, and left the expressions as they are. */
export function planOf(task: Task, runnerName: string): Plan {
  let stepCount = 0
  let name = ''
  try {
    const workflow = mapping(parse(Buffer.from(task.workflowPayload, 'base64').toString('utf8')))
    const [id = '', given] = Object.entries(mapping(workflow.jobs))[0] ?? []
    const job = mapping(given)
    name = typeof job.name === 'string' ? job.name : id
    const steps = Array.isArray(job.steps) ? job.steps.map(mapping) : []
    stepCount = steps.length
    refuseUnknown(job, jobKeys, 'jobs.*')
    const contexts = contextsOf(task, job, runnerName)
    const env = environment([workflow.env, job.env], contexts)
    const defaults = { ...mapping(mapping(workflow.defaults).run), ...mapping(mapping(job.defaults).run) }
    return {
      name,
      condition: textOf(job.if),
      timeoutMs: minutesOf(job['timeout-minutes'], jobMinutesDefault, contexts),
      stepCount,
      steps: steps.map((step, n) => stepOf(step, n, { ...defaults }, env, contexts)),
      refusal: null,
    }
  } catch (error) {
    const refusal = error instanceof Unsupported ? error.message : `the workflow: ${(error as Error).message}`
    return { name, condition: undefined, timeoutMs: 0, stepCount, steps: [], refusal }
  }
}

function stepOf(
  step: Mapping,
  n: number,
  defaults: Mapping,
  jobEnv: Readonly<Record<string, string>>,
  contexts: Contexts,
): Step {
  refuseUnknown(step, stepKeys, `steps[${n}]`)
  const script = textOf(step.run)
  if (script === undefined) throw new Unsupported(`steps[${n}]: a step without run`)
  const env = { ...jobEnv, ...environment([step.env], { ...contexts, env: jobEnv }) }
  const own = { ...contexts, env }
  const shell = textOf(step.shell ?? defaults.shell) ?? 'sh'
  if (shell !== 'sh' && shell !== 'bash') throw new Unsupported(`steps[${n}].shell: ${shell}`)
  return {
    script: interpolate(script, own),
    shell,
    env,
    folder: interpolate(textOf(step['working-directory'] ?? defaults['working-directory']) ?? '.', own),
    timeoutMs: minutesOf(step['timeout-minutes'], minutesMax, own),
    condition: textOf(step.if),
    mayFail: interpolate(String(step['continue-on-error'] ?? 'false'), own) === 'true',
  }
}

function contextsOf(task: Task, job: Mapping, runnerName: string): Contexts {
  const matrix = Object.entries(mapping(mapping(job.strategy).matrix)).map(
    ([key, values]) => [key, Array.isArray(values) ? values[0] : values] as const,
  )
  const needs = Object.entries(task.needs ?? {}).map(([id, { result, outputs }]) => {
    const word = (result ?? '').replace('RESULT_', '').toLowerCase()
    return [id, { result: word, outputs: outputs ?? {} }] as const
  })
  return {
    matrix: Object.fromEntries(matrix),
    needs: Object.fromEntries(needs),
    github: task.context ?? {},
    gitea: task.context ?? {},
    vars: task.vars ?? {},
    secrets: task.secrets ?? {},
    runner: { name: runnerName, os: 'Linux' },
    env: {},
  }
}

/** Later layers see and replace the earlier ones. */
function environment(layers: readonly unknown[], contexts: Contexts): Record<string, string> {
  const env: Record<string, string> = {}
  for (const layer of layers) {
    for (const [name, value] of Object.entries(mapping(layer))) {
      env[name] = interpolate(String(value ?? ''), { ...contexts, env: { ...mapping(contexts.env), ...env } })
    }
  }
  return env
}

function minutesOf(value: unknown, otherwise: number, contexts: Contexts): number {
  const text = textOf(value)
  if (text === undefined || text === '') return otherwise * minuteMs
  const minutes = Number(evaluate(interpolate(text, contexts), contexts))
  if (!(minutes > 0)) throw new Unsupported(`timeout-minutes: expected a number above 0, got ${text}`)
  return Math.min(minutes, minutesMax) * minuteMs
}

function refuseUnknown(given: Mapping, known: ReadonlySet<string>, where: string): void {
  const unknown = Object.keys(given).filter((key) => !known.has(key))
  if (unknown.length > 0) throw new Unsupported(`${where}: ${unknown.join(', ')}`)
}

function mapping(value: unknown): Mapping {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new Unsupported(`expected a mapping: ${value}`)
  return value as Mapping
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value)
}
