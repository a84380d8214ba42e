import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { removeGroup } from '../../src/adapters/process/cgroup/index.ts'
import { freePort } from '../../src/main/machine/free-port.ts'
import { startHoldfast } from '../cluster/fleet/holdfast.ts'
import { readRows } from '../cluster/fleet/ledger.ts'
import { until } from '../cluster/machine/until.ts'
import { startForge } from '../crash/forge.ts'
import { start as startPostgres } from '../support/embedded.ts'
import { cgroupsOf } from '../support/leftovers.ts'
import { temporaryFolder } from '../support/temporary.ts'
import type { DeathKind } from './kind.ts'
import { type DeathLedger, deathLedger } from './ledger.ts'

const beginsWithinMs = 60_000

/** Acts open to the cause of a death on this machine. */
export interface MachineStage {
  readonly pool: string
  readonly ledger: DeathLedger
  /** Submits a job and gives the first runner that was made for it, whether it starts or not. */
  begun(script?: string): Promise<string>
}

/** A Holdfast whose runners are processes of this machine, with a forge and a ledger of its own. */
export interface MachineWorld extends AsyncDisposable {
  readonly ledger: DeathLedger
  stage(pool: string): MachineStage
}

/** Starts it with a pool for each kind. */
export async function openMachine(kinds: readonly DeathKind<MachineStage>[]): Promise<MachineWorld> {
  const folder = await temporaryFolder('holdfast-deaths-')
  const place = (name: string) => path.join(folder.path, name)
  const postgres = await startPostgres(place('ledger'))
  const rows = await readRows(postgres.url)
  const ledger = deathLedger(rows)
  const port = await freePort('127.0.0.1')
  const secrets = { token: randomBytes(16).toString('hex'), webhookSecret: randomBytes(16).toString('hex') }
  await mkdir(place('forge'))
  const forge = await startForge(place('forge'), `http://127.0.0.1:${port}/webhooks/forge`, secrets)
  const stage = (pool: string): MachineStage => ({
    pool,
    ledger,
    async begun(script = 'sleep 300') {
      const labels = ['self-hosted', pool]
      await forge.submit({ repository: 'acme/app', name: 'build', script, labels })
      return until(`a runner of ${pool} is made`, beginsWithinMs, () => ledger.first(pool))
    },
  })
  const pools = kinds.map((kind) => ({
    name: kind.name,
    labels: ['self-hosted', kind.name],
    minWarm: 0,
    maxRunners: 1,
    idleTimeoutSeconds: 2,
    ...kind.pool?.(stage(kind.name)),
  }))
  const dataDir = place('data')
  const env = {
    HOLDFAST_DATABASE_URL: postgres.url,
    HOLDFAST_FORGE_URL: forge.url,
    HOLDFAST_FORGE_TOKEN: secrets.token,
    HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([secrets.webhookSecret]),
    HOLDFAST_POOLS: JSON.stringify(pools),
  }
  const life = await startHoldfast({ dataDir, port, env })
  await life.serving
  return {
    ledger,
    stage,
    async [Symbol.asyncDispose]() {
      life.signal('SIGTERM')
      await life.exited
      await forge.stop()
      await rows.close()
      await postgres.stop()
      for (const group of await cgroupsOf(dataDir)) await removeGroup(group)
      await folder[Symbol.asyncDispose]()
    },
  }
}
