import { createDisk } from '../../adapters/disk/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { StartPart } from '../../platform/lifecycle/index.ts'
import { isolationWarning } from '../fleet/index.ts'
import { httpDeps } from '../http/index.ts'
import type { OpenLedger } from '../ledger/index.ts'
import { controlDeps } from './control-deps.ts'
import type { Openers } from './openers.ts'
import { dataFolderPart, instancePart, isolationPart, portsPart } from './parts/machine.ts'
import { forgePart, ledgerPart, runnersPart, sinkPart } from './parts/opened.ts'
import { fleetPart, httpPart, loopsPart } from './parts/serving.ts'
import type { Program } from './program.ts'
import { reapSource } from './reap-source.ts'

/** Where the program serves, for the banner. */
export interface Serving {
  readonly url: string
  readonly forge: { readonly kind: string; readonly url: string }
  readonly fleet: {
    readonly kind: Config['fleet']['kind']
    readonly where: string
    /** How jobs are not separated from Holdfast; null where they are. */
    readonly warning: string | null
  }
  readonly dataDir: string
  readonly database: OpenLedger['database']
}

/** Starts the parts of the program in this order; they stop in reverse order. */
export async function startAll(start: StartPart, program: Program, openers: Openers): Promise<Serving> {
  const { base, metrics, tasks, headroom, address } = program
  const { config } = base
  const readiness = { isServing: false }
  const draining = new AbortController()

  await start(isolationPart(base))
  await start(dataFolderPart(base))
  await start(portsPart(base, address))
  const ledger = await start(ledgerPart(program, openers.ledger))
  const forge = await start(forgePart(program, ledger, openers.forge))
  const { sink } = await start(sinkPart(program))
  const fleet = await start(runnersPart(program, openers.fleet))
  const disk = ledger.database === 'embedded' ? { disk: createDisk(config.dataDir), headroom } : null
  const reap = await reapSource(program)
  const control = controlDeps(base, { ledger: ledger.ledger, forge, fleet, metrics, sink, disk, reap })
  const deps = httpDeps(base, {
    control,
    vault: ledger.keys.vault,
    operatorToken: ledger.operatorToken,
    forge,
    fleet,
    metrics,
    tasks,
    headroom,
    isServing: () => readiness.isServing,
  })
  await start(httpPart(program, deps))
  await start(instancePart(program))
  const { scaling } = await start(loopsPart(program, control, ledger, fleet, draining.signal))
  await start(fleetPart(program, { control, fleet, scaling, readiness, draining }))
  return {
    url: address.url,
    forge: { kind: forge.kind, url: forge.url },
    fleet: { kind: config.fleet.kind, where: fleet.where, warning: isolationWarning(fleet) },
    dataDir: config.dataDir,
    database: ledger.database,
  }
}
