import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ForgeDelays } from './core/index.ts'
import { type AppIdentity, startSimulatedForge } from './http/index.ts'
import { machineClock, machineEntropy, stderrLog } from './machine.ts'

/**
 * The simulated forge as a process of its own, which outlives a Holdfast that is killed.
 *   --folder f  --port n  [--host h] [--webhook-url u] [--delay lostAfterMs=5000 …] [--choose any]
 *   [--runners-url u] [--app-id n --app-key public.pem]
 * Secrets come by environment: SIM_FORGE_TOKEN, SIM_FORGE_WEBHOOK_SECRET.
 */
const usage =
  'usage: node sim/forge/main.ts --folder <path> --port <n> [--webhook-url <url>] [--delay <name>=<ms>]'
const exitUsage = 2
const exitFailed = 1
const delayNames = [
  'jitExpiresAfterMs',
  'offlineAfterMs',
  'lostAfterMs',
  'offlineRemovedAfterMs',
  'queuedForMs',
  'cancelForcedAfterMs',
  'renewEveryMs',
  'pollHoldMs',
] as const satisfies (keyof ForgeDelays)[]

const settings = readSettings()
if (typeof settings === 'string') {
  process.stderr.write(`${settings}\n${usage}\n`)
  process.exit(exitUsage)
}
const forge = await startSimulatedForge({
  ...settings,
  clock: machineClock,
  entropy: machineEntropy,
  log: stderrLog(machineClock),
}).catch((error: Error) => {
  process.stderr.write(`The simulated forge did not start: ${error.message}\n`)
  process.exit(exitFailed)
})
process.stdout.write(`${JSON.stringify({ url: forge.url, port: forge.port })}\n`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void forge.close().then(() => process.exit(0)))
}

function readSettings() {
  const options = {
    folder: { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    'webhook-url': { type: 'string' },
    'runners-url': { type: 'string' },
    delay: { type: 'string', multiple: true, default: [] as string[] },
    choose: { type: 'string', default: 'oldest' },
    'app-id': { type: 'string' },
    'app-key': { type: 'string' },
  } as const
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ options }).values
  } catch (error) {
    return (error as Error).message
  }
  const { folder, host, choose } = values
  const port = Number(values.port)
  const token = process.env.SIM_FORGE_TOKEN ?? ''
  const webhookSecret = process.env.SIM_FORGE_WEBHOOK_SECRET ?? ''
  const delays = readDelays(values.delay)
  if (folder === undefined) return '--folder: expected a path, got nothing'
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return `--port: expected a port, got ${values.port}`
  if (choose !== 'oldest' && choose !== 'any') return `--choose: expected oldest or any, got ${choose}`
  if (typeof delays === 'string') return delays
  const app = readApp(values['app-id'], values['app-key'])
  if (typeof app === 'string') return app
  if (token === '' || webhookSecret === '') {
    return 'SIM_FORGE_TOKEN and SIM_FORGE_WEBHOOK_SECRET: expected in the environment, got nothing'
  }
  const webhookUrl = values['webhook-url'] ?? null
  const runnersUrl = values['runners-url']
  return {
    folder,
    host,
    port,
    token,
    webhookSecret,
    webhookUrl,
    runnersUrl,
    delays,
    choose,
    ...(app && { app }),
  } as const
}

/** The App that may call, with the public half of its key. */
function readApp(id: string | undefined, keyFile: string | undefined): AppIdentity | string | undefined {
  if (id === undefined && keyFile === undefined) return undefined
  if (!/^\d{1,15}$/.test(id ?? ''))
    return `--app-id: expected a number together with --app-key, got ${id ?? 'nothing'}`
  if (keyFile === undefined)
    return '--app-key: expected the file of a public key together with --app-id, got nothing'
  try {
    return { id: Number(id), publicKeyPem: readFileSync(keyFile, 'utf8') }
  } catch (error) {
    return `--app-key: ${(error as Error).message}`
  }
}

function readDelays(given: readonly string[]): Partial<ForgeDelays> | string {
  const delays: Partial<Record<keyof ForgeDelays, number>> = {}
  for (const text of given) {
    const [name, ms] = text.split('=')
    const known = delayNames.find((each) => each === name)
    if (known === undefined || !(Number(ms) > 0)) {
      return `--delay: expected <name>=<ms> with a name of ${delayNames.join(', ')}; got ${text}`
    }
    delays[known] = Number(ms)
  }
  return delays
}
