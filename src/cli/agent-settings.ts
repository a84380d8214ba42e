import { hostname } from 'node:os'
import path from 'node:path'
import { type AgentSettings, sampleMsLeast, sampleMsMost } from '../agent/settings.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { isLoopbackHost } from '../http/loopback.ts'
import type { Environment } from '../platform/config/index.ts'

interface AgentOption {
  readonly flag: string
  readonly env: string
  readonly description: string
  readonly defaultText: string
}

const option = (flag: string, description: string, defaultText: string): AgentOption => ({
  flag,
  description,
  defaultText,
  env: `HOLDFAST_AGENT_${flag.toUpperCase().replaceAll('-', '_')}`,
})

/** Settings of the agent, given by options or the environment; the server's configuration has none of them. */
export const agentOptions = {
  url: option('url', 'where Holdfast serves', 'that of this machine'),
  tokenFile: option(
    'token-file',
    'file with the token that the agent shows',
    'agent-token in the data folder',
  ),
  node: option('node', 'name of the node', "the machine's name"),
  folder: option('folder', 'where rings are kept until they arrive', 'agent in the data folder'),
  cgroups: option('cgroups', 'where the kernel shows its groups', '/sys/fs/cgroup'),
  below: option('below', 'group below which pods are looked for', 'the top'),
  proc: option('proc', 'where the kernel shows the node', '/proc'),
  kernelLog: option('kernel-log', "the kernel's log", '/dev/kmsg'),
  images: option('images', 'a place on the file system of images and writable layers', '/'),
  sampleMs: option('sample-ms', 'pause between two samples', '1000'),
} as const satisfies Record<keyof AgentSettings, AgentOption>

/** Environment variables of the agent; they are no settings of the server. */
export const agentEnvs: ReadonlySet<string> = new Set(Object.values(agentOptions).map(({ env }) => env))

const sampleMsDefault = 1_000

export interface AgentGiven {
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  readonly env: Environment
  /** URL and data folder of the Holdfast on this machine. */
  readonly here: { readonly url: string; readonly dataDir: string }
}

/** The agent's settings. Throws one E_AGENT_SETTINGS that names every problem. */
export function agentSettings({ options, env, here }: AgentGiven): AgentSettings {
  const problems: string[] = []
  const given = (key: keyof AgentSettings): string | undefined => {
    const value = options[key] ?? (env[agentOptions[key].env] || undefined)
    return typeof value === 'string' ? value : undefined
  }
  const wrong = (key: keyof AgentSettings, expected: string, got: string): void => {
    const { flag, env: name } = agentOptions[key]
    problems.push(`--${flag} (${name}): got ${JSON.stringify(got.slice(0, 80))}, expected ${expected}`)
  }
  const absolute = (key: keyof AgentSettings, otherwise: string): string => {
    const value = given(key) ?? otherwise
    if (!path.isAbsolute(value)) wrong(key, 'an absolute path', value)
    return value
  }

  const url = given('url') ?? here.url
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) wrong('url', 'an http or https URL', url)
  const node = given('node') ?? hostname()
  if (!/^[\x21-\x7e]{1,253}$/.test(node)) wrong('node', 'the name of a node', node)
  const sample = given('sampleMs') ?? String(sampleMsDefault)
  const sampleMs = /^\d{1,6}$/.test(sample) ? Number(sample) : Number.NaN
  if (!(sampleMs >= sampleMsLeast && sampleMs <= sampleMsMost)) {
    wrong('sampleMs', `a number from ${sampleMsLeast} to ${sampleMsMost}`, sample)
  }
  // This machine's token is not sent to another one.
  if (given('tokenFile') === undefined && parsed !== null && !isLoopbackHost(parsed.hostname)) {
    wrong('tokenFile', `a file, because ${parsed.host} is not this machine`, '')
  }
  const below = given('below') ?? ''
  if (below.split('/').includes('..')) wrong('below', 'a group below the top', below)
  const settings = {
    url,
    node,
    sampleMs,
    below,
    tokenFile: absolute('tokenFile', path.join(here.dataDir, 'agent-token')),
    folder: absolute('folder', path.join(here.dataDir, 'agent')),
    cgroups: absolute('cgroups', '/sys/fs/cgroup'),
    proc: absolute('proc', '/proc'),
    kernelLog: absolute('kernelLog', '/dev/kmsg'),
    images: absolute('images', '/'),
  }
  if (problems.length > 0) throw new HoldfastError('E_AGENT_SETTINGS', { problems })
  return settings
}
