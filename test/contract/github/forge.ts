import { generateKeyPairSync } from 'node:crypto'
import { type SimulatedForge, startSimulatedForge } from '../../../sim/forge/http/index.ts'
import { forgeCalls, token, webhookSecret } from '../../../sim/forge/testing/kit.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { clock, entropy, recordedLog } from '../../support/machine.ts'
import { temporaryFolder } from '../../support/temporary.ts'

export const appId = 4242
export const clientId = 'Iv23liHoldfastSimulated'
export const installation = 50_000_001
export const hook = 40_000_001
const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
/** The App's private key, made for this run of the tests. */
export const privateKey = keys.privateKey

export interface ContractForge extends AsyncDisposable {
  readonly server: SimulatedForge
  readonly calls: ReturnType<typeof forgeCalls>
}

export interface ContractForgeOptions {
  readonly hasApp?: boolean
  /** How far the forge's clock is ahead. */
  readonly awayMs?: () => number
}

/** A simulated forge that knows the App; `hasApp: false` makes its hook the repositories' own. */
export async function startContractForge(options: ContractForgeOptions = {}): Promise<ContractForge> {
  const { hasApp = true, awayMs = () => 0 } = options
  const folder = await temporaryFolder()
  const shifted: Clock = { ...clock, now: () => clock.now() + awayMs() }
  const server = await startSimulatedForge({
    folder: folder.path,
    port: 0,
    token,
    webhookUrl: null,
    webhookSecret,
    delays: { pollHoldMs: 20 },
    ...(hasApp && { app: { id: appId, clientId, publicKeyPem: keys.publicKey } }),
    clock: shifted,
    entropy,
    log: recordedLog(),
  })
  return {
    server,
    calls: forgeCalls(server.url),
    async [Symbol.asyncDispose]() {
      await server.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
