import { execFile } from 'node:child_process'
import { z } from 'zod'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Authentication, Credentials, TlsMaterial } from './credentials.ts'
import { unusable } from './kubeconfig.ts'
import type { ClusterSettings, ExecSettings } from './kubeconfig-schema.ts'

const execTimeoutMs = 60_000
const outputBytesMax = 1024 * 1024
const reasonCharsMax = 500
/** A proof that ends so soon is replaced before it is used: requests and clocks take their time. */
const expiryMarginMs = 30_000

export interface ExecOptions {
  readonly settings: ExecSettings
  readonly resolve: (path: string) => string
  readonly tls: TlsMaterial
  readonly cluster: {
    readonly settings: ClusterSettings
    readonly ca: string | undefined
  }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Pick<Clock, 'now'>
}

const execCredential = z.object({
  kind: z.literal('ExecCredential'),
  apiVersion: z.string(),
  status: z
    .object({
      expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
      token: z.string().min(1).optional(),
      clientCertificateData: z.string().min(1).optional(),
      clientKeyData: z.string().min(1).optional(),
    })
    .refine((status) => status.token || (status.clientCertificateData && status.clientKeyData), {
      error: 'expected a token, or a client certificate with its key',
    }),
})

/** Credentials that a command prints; it runs again when they are about to end or were refused. */
export function execCredentials(options: ExecOptions): Credentials {
  const { settings, clock } = options
  if (settings.interactiveMode === 'Always') {
    throw unusable(
      `command ${settings.command}`,
      'it wants to ask a person (interactiveMode: Always), and none is here',
    )
  }
  let kept: { readonly proof: Authentication; readonly until: number } | null = null
  let running: Promise<Authentication> | null = null
  async function renew(): Promise<Authentication> {
    const { status } = read(await run(options), options)
    const { expirationTimestamp: end, token, clientCertificateData: cert, clientKeyData: key } = status
    const tls = cert && key ? { ...options.tls, cert, key } : options.tls
    const proof = { authorization: token && `Bearer ${token}`, tls }
    kept = { proof, until: end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end) - expiryMarginMs }
    return proof
  }
  return {
    async authenticate() {
      if (kept !== null && clock.now() < kept.until) return kept.proof
      // Calls that come meanwhile share the result: the command may be slow, or count its calls.
      running ??= renew().finally(() => {
        running = null
      })
      return running
    },
    invalidate() {
      kept = null
    },
  }
}

function run(options: ExecOptions): Promise<string> {
  const { settings, resolve, env } = options
  const command = settings.command.includes('/') ? resolve(settings.command) : settings.command
  const own = Object.fromEntries((settings.env ?? []).map(({ name, value }) => [name, value]))
  const childEnv = { ...env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(options)) }
  const bounds = { timeout: execTimeoutMs, maxBuffer: outputBytesMax, killSignal: 'SIGKILL' as const }
  return new Promise((done, fail) => {
    execFile(command, settings.args ?? [], { ...bounds, env: childEnv }, (error, stdout, stderr) => {
      if (error === null) return done(stdout)
      fail(failed(settings, commandReasonOf(error, stderr)))
    })
  })
}

/** The input of the command about the cluster, as the API of exec plugins defines it. */
function execInfo({ settings, cluster }: ExecOptions) {
  const { server, 'tls-server-name': name, 'insecure-skip-tls-verify': skip } = cluster.settings
  const clusterInfo = {
    server,
    'tls-server-name': name,
    'insecure-skip-tls-verify': skip,
    'certificate-authority-data': cluster.ca && Buffer.from(cluster.ca).toString('base64'),
    'proxy-url': cluster.settings['proxy-url'],
  }
  const spec = { interactive: false, ...(settings.provideClusterInfo && { cluster: clusterInfo }) }
  return { apiVersion: settings.apiVersion, kind: 'ExecCredential', spec }
}

/** The output itself is never part of an error: it may hold the secret. */
function read(stdout: string, { settings }: ExecOptions): z.infer<typeof execCredential> {
  let parsed: unknown
  try {
    parsed = JSON.parse(stdout)
  } catch {
    throw failed(
      settings,
      `expected an ExecCredential in JSON, got ${stdout.length} characters that are none`,
    )
  }
  const result = execCredential.safeParse(parsed)
  if (!result.success) {
    const problems = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw failed(settings, `its ExecCredential is not usable: ${problems.join('; ')}`)
  }
  if (result.data.apiVersion === settings.apiVersion) return result.data
  throw failed(settings, `expected the version ${settings.apiVersion}, got ${result.data.apiVersion}`)
}

function commandReasonOf(error: Error & { killed?: boolean; code?: unknown }, stderr: string): string {
  if (error.code === 'ENOENT') return 'there is no such command'
  if (error.killed) return `it did not end within ${execTimeoutMs} ms, or printed too much`
  const lastLine = stderr.trim().split('\n').at(-1) ?? ''
  return `it ended with ${error.code}${lastLine && `: ${lastLine.slice(0, reasonCharsMax)}`}`
}

function failed({ command }: ExecSettings, reason: string): HoldfastError {
  return new HoldfastError('E_CLUSTER_CREDENTIALS', { source: `the command ${command}`, reason })
}
