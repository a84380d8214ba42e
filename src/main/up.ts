import { createDisk } from '../adapters/disk/index.ts'
import { checkPorts } from '../adapters/machine/index.ts'
import { auditDeps, type ControlDeps, loopNames } from '../control/index.ts'
import { createRoom } from '../controllers/ledger/disk/index.ts'
import { createApp, routePatterns, serve, urlOf } from '../http/index.ts'
import { type Config, type ConfigInputs, reloadingSecrets, secretsOf } from '../platform/config/index.ts'
import { createTasks, type Part, runParts, stopEventsOf } from '../platform/lifecycle/index.ts'
import { createMetrics, firstSeen } from '../platform/metrics/index.ts'
import { createBase } from './base.ts'
import { takeDataFolder } from './data-folder.ts'
import { drain } from './drain.ts'
import { type Effects, gatherControl } from './effects.ts'
import { noteClosing, type OpenFleet, openFleet, refuseRootRunners } from './fleet/index.ts'
import { type OpenForge, openForge, serverOf, simulatedHost } from './forge/index.ts'
import { freePort } from './free-port.ts'
import { httpDeps } from './http-deps.ts'
import { type Asker, noteInstance } from './instance/index.ts'
import { type LedgerSide, openLedgerSide } from './ledger-side.ts'
import { type OpenSink, openRecordSink } from './record-sink.ts'
import { roomyLedger } from './roomy-ledger.ts'
import { runLoops, runLoopsInTerms } from './run-loops.ts'

export type { Effects } from './effects.ts'

/** Where it serves, for whoever greets the user. */
export interface Serving {
  readonly url: string
  readonly forge: { readonly kind: string; readonly url: string }
  readonly fleet: {
    readonly kind: Config['fleet']['kind']
    readonly where: string
    /** What does not separate jobs from Holdfast; null where nothing is to be said. */
    readonly warning: string | null
  }
  readonly dataDir: string
  readonly database: LedgerSide['database']
}

export interface UpOptions {
  readonly onServing: (serving: Serving) => void
  /** From these the secrets of forge and store are read again when they change; without them they stay. */
  readonly inputs?: ConfigInputs
  /** Whose instance this is: commands of this user find it. Without, it is noted nowhere. */
  readonly asker?: Asker
  /** Lets fault tests stand between the program and its effects. */
  readonly through?: (effects: Effects) => Effects
}

/** A first start makes a database cluster, which takes its time on a slow disk. */
const ledgerStartBoundMs = 120_000
/** Pools that are declared while we run and have series of their own. */
const poolsShownMax = 200
/** A cluster is listed whole before anything is decided. */
const fleetStartBoundMs = 60_000
/** Connections that are still open when all runners have gone. */
const httpDrainMs = 1_000
/** What draining takes beyond the time that running jobs get. */
const drainOverheadMs = 8_000

/** Runs all of Holdfast in one process until a signal; gives the exit code. */
export async function up(
  config: Config,
  { onServing, inputs, asker, through = (effects) => effects }: UpOptions,
): Promise<number> {
  const base = createBase(config)
  const { clock, log } = base
  const isLocal = config.fleet.kind === 'local'
  const pools = isLocal ? config.pools.map(({ name }) => name) : firstSeen(poolsShownMax)
  const metrics = createMetrics({
    sets: { pools, routes: routePatterns, tasks: [...loopNames, 'keys'] },
    ofProcess: true,
  })
  const tasks = createTasks({ ...base, metrics })
  const { host } = config.http
  const port = config.http.port === 0 ? await freePort(host) : config.http.port
  const url = urlOf(host, port)
  const draining = new AbortController()
  const secrets =
    inputs === undefined ? () => secretsOf(config) : reloadingSecrets({ ...base, inputs }).current

  // Each part sets what those after it use; they start in this order and stop in the reverse one.
  let ledgerSide: LedgerSide
  let side: OpenForge
  let records: OpenSink
  const room = createRoom(clock)
  let fleet: OpenFleet
  let control: ControlDeps
  let scaling: Promise<void>
  let isServing = false
  let endLedger = (): boolean => false

  const parts: Part[] = [
    {
      name: 'isolation of runners',
      async start() {
        await refuseRootRunners(base)
        return () => Promise.resolve()
      },
    },
    {
      name: 'data folder',
      async start() {
        const lock = await takeDataFolder(base)
        return () => lock.release()
      },
    },
    {
      // Before anything is made that would be left behind.
      name: 'ports',
      async start() {
        const { kind, url: elsewhere, simulated } = config.forge
        const simulatedToo = kind === 'simulated' && elsewhere === undefined
        await checkPorts([
          { host, port, setting: 'http.port' },
          ...(simulatedToo
            ? [{ host: simulatedHost, port: simulated.port, setting: 'forge.simulated.port' }]
            : []),
        ])
        return async () => {}
      },
    },
    {
      name: 'ledger',
      startBoundMs: ledgerStartBoundMs + config.databaseWaitMs,
      async start(signal) {
        const side = await openLedgerSide(base, await serverOf(config.forge), signal)
        ledgerSide = { ...side, ledger: roomyLedger(side.ledger, room, clock) }
        endLedger = () => ledgerSide.endNow()
        return () => ledgerSide.stop()
      },
    },
    {
      name: 'forge',
      async start() {
        side = await openForge(base, {
          ...{ ledger: ledgerSide.ledger, installation: ledgerSide.installation, metrics, secrets },
          webhookUrl: `${url}/webhooks/forge`,
          token: ledgerSide.operatorToken,
        })
        return () => side.stop()
      },
    },
    {
      name: 'record sink',
      async start() {
        records = openRecordSink(base, secrets)
        return () => records.close()
      },
    },
    {
      name: 'runners',
      startBoundMs: fleetStartBoundMs,
      async start(signal) {
        fleet = await openFleet(base, url, metrics, signal)
        control = gatherControl(base, {
          ...{ ledger: ledgerSide.ledger, side, fleet, metrics, through, sink: records.sink },
          disk: ledgerSide.database === 'embedded' ? { disk: createDisk(config.dataDir), room } : null,
        })
        return () => fleet.stop()
      },
    },
    {
      name: 'http',
      async start() {
        const given = { control, ledgerSide, side, fleet, metrics, tasks, room, isServing: () => isServing }
        const server = await serve(createApp(httpDeps(base, given)), {
          host,
          port,
          drainMs: httpDrainMs,
          clock,
        })
        return () => server.close()
      },
    },
    {
      name: 'instance',
      async start() {
        const noted = asker === undefined ? null : await noteInstance(base, url, asker)
        return async () => noted?.forget()
      },
    },
    {
      name: 'loops',
      async start() {
        const extra = [ledgerSide.keys.resealLoop(control.ledger)]
        if (fleet.leads === null) scaling = runLoops(control, extra, tasks, draining.signal)
        else {
          const { lease, leadership } = fleet.leads
          runLoopsInTerms(control, extra, tasks, leadership)
          const noted = { ...control, lease, installation: control.settings.installation }
          tasks.run('fleet-closing', (own) => noteClosing(noted, leadership, own), 'loop')
        }
        return () => tasks.stop()
      },
    },
    {
      name: 'fleet',
      stopBoundMs: config.shutdown.drainMs + drainOverheadMs,
      async start() {
        isServing = true
        return async (signal) => {
          isServing = false
          if (!fleet.endsWithUs) return
          draining.abort()
          await scaling // no new runners from here on
          await drain({ ...auditDeps(control), ...control, drainMs: config.shutdown.drainMs }, signal)
        }
      },
    },
  ]
  return runParts(parts, {
    log,
    clock,
    stopEvents: stopEventsOf(process),
    exit(code) {
      if (endLedger())
        log.warn(
          {},
          'the embedded Postgres was told to end too; running jobs go on, and the next start finds them',
        )
      process.exit(code)
    },
    stopBoundMs: config.shutdown.boundMs,
    onServing: () =>
      onServing({
        url,
        forge: { kind: side.kind, url: side.url },
        fleet: { kind: config.fleet.kind, where: fleet.where, warning: warningOf(fleet) },
        dataDir: config.dataDir,
        database: ledgerSide.database,
      }),
  })
}

function warningOf({ isolation }: OpenFleet): string | null {
  return isolation === null || isolation.level === 'own-users' ? null : isolation.sentence
}
