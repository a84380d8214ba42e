import type { Part } from '../../../platform/lifecycle/index.ts'
import type { OpenFleet } from '../../fleet/index.ts'
import { forgeServerOf, type OpenForge } from '../../forge/index.ts'
import { diskWatchingLedger, type OpenLedger } from '../../ledger/index.ts'
import type { Openers } from '../openers.ts'
import type { Program } from '../program.ts'
import { type OpenSink, openRecordSink } from '../record-sink.ts'

/** A first start creates a database cluster, which takes its time on a slow disk. */
const ledgerStartBoundMs = 120_000
/** The cluster is listed completely before anything is decided. */
const fleetStartBoundMs = 60_000

/** Opens the ledger; it watches for a full disk. */
export function ledgerPart({ base, headroom }: Program, open: Openers['ledger']): Part<OpenLedger> {
  const { config, clock, log } = base
  return {
    name: 'ledger',
    startBoundMs: ledgerStartBoundMs + config.databaseWaitMs,
    async start(signal) {
      const opened = await open(base, await forgeServerOf(config.forge), signal)
      return { ...opened, ledger: diskWatchingLedger(opened.ledger, headroom, clock) }
    },
    stop: (ledger) => ledger.stop(),
    kill(ledger) {
      if (!ledger.endNow()) return
      log.warn({}, 'the embedded Postgres was stopped too; running jobs go on, and the next start finds them')
    },
  }
}

/** Opens the forge, with its budget in the ledger. */
export function forgePart(
  { base, metrics, secrets, address }: Program,
  { ledger, installation, operatorToken }: OpenLedger,
  open: Openers['forge'],
): Part<OpenForge> {
  const webhookUrl = `${address.url}/webhooks/forge`
  return {
    name: 'forge',
    start: () => open(base, { ledger, installation, metrics, secrets, webhookUrl, operatorToken }),
    stop: (forge) => forge.stop(),
  }
}

/** Opens the place to which death records are copied. */
export function sinkPart({ base, secrets }: Program): Part<OpenSink> {
  return {
    name: 'record sink',
    start: async () => openRecordSink(base, secrets),
    stop: (records) => records.close(),
  }
}

/** Opens the place where runners run. */
export function runnersPart({ base, metrics, address }: Program, open: Openers['fleet']): Part<OpenFleet> {
  return {
    name: 'runners',
    startBoundMs: fleetStartBoundMs,
    start: (signal) => open(base, address.url, metrics, signal),
    stop: (fleet) => fleet.stop(),
  }
}
