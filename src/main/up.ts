import path from 'node:path'
import { openLedger } from '../adapters/postgres/ledger/index.ts'
import { migrate } from '../adapters/postgres/migrations/index.ts'
import { createProcessHost } from '../adapters/process/index.ts'
import { createSecrets } from '../adapters/vault/index.ts'
import { type ControlDeps, controlLoops, loopNames } from '../control/index.ts'
import { createWaiters, type DispatchDeps, poll } from '../dispatch/index.ts'
import { createApp, isLoopbackHost, routePatterns, serve, urlOf } from '../http/index.ts'
import { receive } from '../intake/index.ts'
import { type Loop, runLoop } from '../loop/index.ts'
import { type Config, toPool } from '../platform/config/index.ts'
import { createTasks, type Part, runParts, stopEventsOf } from '../platform/lifecycle/index.ts'
import { createMetrics } from '../platform/metrics/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { RunnerHost } from '../ports/runner-host.ts'
import { createBase } from './base.ts'
import { controlSettings } from './control-settings.ts'
import { drain } from './drain.ts'
import { type ForgeSide, openForge } from './forge.ts'
import { freePort } from './free-port.ts'
import { readGauges } from './gauges.ts'
import { type Keys, openKeys } from './keys.ts'
import { measuredForge } from './measured-forge.ts'
import { operatorToken } from './operator-token.ts'
import { runnerShape } from './runner-shape.ts'
import { openStore, type Store } from './store.ts'
import { version } from './version.ts'

/** The ports through which the program has its effects. */
export interface Effects {
  readonly ledger: Ledger
  readonly forge: Forge
  readonly host: RunnerHost
}

/** Where it serves, for whoever greets the user. */
export interface Serving {
  readonly url: string
  readonly forge: { readonly kind: string; readonly url: string }
  readonly dataDir: string
  readonly database: Store['kind']
}

export interface UpOptions {
  readonly onServing: (serving: Serving) => void
  /** Lets fault tests stand between the program and its effects. */
  readonly through?: (effects: Effects) => Effects
}

/** Runs all of Holdfast in one process until a signal; gives the exit code. */
export async function up(config: Config, options: UpOptions): Promise<number> {
  const base = createBase(config)
  const { clock, entropy, log } = base
  const metrics = createMetrics({
    sets: {
      pools: config.pools.map(({ name }) => name),
      routes: routePatterns,
      tasks: [...loopNames, 'keys'],
    },
    ofProcess: true,
  })
  const background = createTasks({ log, metrics, clock, entropy })
  const port = config.http.port === 0 ? await freePort(config.http.host) : config.http.port
  const url = urlOf(config.http.host, port)
  const draining = new AbortController()

  // Each part sets what those after it use; they start in this order and stop in the reverse one.
  let store: Store
  let ledger: Ledger
  let keys: Keys
  let side: ForgeSide
  let control: ControlDeps
  let token: string
  let serving = false
  let scaling = Promise.resolve()

  const parts: Part[] = [
    {
      name: 'ledger',
      startBoundMs: 120_000,
      async start(signal) {
        token = await operatorToken(base)
        store = await openStore(base, signal)
        try {
          await migrate(store.database, { log })
          keys = await openKeys(base)
        } catch (error) {
          await store.stop()
          throw error
        }
        const { staleQueuedAfterMs } = config.recovery
        const opened = await openLedger({ ...store, log, clock, entropy, staleQueuedAfterMs })
        ledger = opened
        await ledger.putPools(config.pools.map(toPool), { source: 'operator' })
        return async () => {
          await opened[Symbol.asyncDispose]()
          await store.stop()
        }
      },
    },
    {
      name: 'forge',
      async start() {
        side = await openForge(base, `${url}/webhooks/forge`, token)
        return () => side.stop()
      },
    },
    {
      name: 'runners',
      async start() {
        const folder = path.join(config.dataDir, 'runners')
        const host = await createProcessHost({ folder, log, clock, shape: runnerShape(config, url) })
        const effects = { ledger, forge: measuredForge(side.forge, metrics, clock), host }
        const through = options.through?.(effects) ?? effects
        const settings = controlSettings(config, side.installation)
        const secrets = createSecrets(entropy)
        control = { clock, entropy, log, metrics, secrets, webhooks: side.webhooks, settings, ...through }
        return async () => host[Symbol.asyncDispose]()
      },
    },
    {
      name: 'http',
      stopBoundMs: config.shutdown.drainMs + 1_000,
      async start() {
        const app = createApp(httpDeps())
        const server = await serve(app, { host: config.http.host, port, drainMs: 1_000, clock })
        return () => server.close()
      },
    },
    {
      name: 'loops',
      async start() {
        for (const loop of controlLoops(control)) {
          if (loop.name === 'pool-scale') scaling = run(loop, draining.signal)
          else void run(loop)
        }
        void run(keys.resealLoop(control.ledger))
        return () => background.stop()
      },
    },
    {
      name: 'fleet',
      stopBoundMs: config.shutdown.drainMs + 8_000,
      async start() {
        serving = true
        return async (signal) => {
          serving = false
          draining.abort()
          await scaling // no new runners from here on
          await drain(
            { ...control, stopGraceMs: control.settings.stopGraceMs, drainMs: config.shutdown.drainMs },
            signal,
          )
        }
      },
    },
  ]

  /** Runs a loop in the background until the end, or until the signal that ends it earlier. */
  function run(loop: Loop, until?: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const deps = {
      clock,
      entropy,
      log,
      onWake: control.ledger.onWake,
      onFailure: (name: string) => metrics.count('holdfast_task_failures_total', { task: name }),
    }
    const work = async (signal: AbortSignal) => {
      await runLoop(loop, deps, until === undefined ? signal : AbortSignal.any([signal, until]))
      ended.resolve()
    }
    background.run(loop.name, work, until === undefined ? 'loop' : 'once')
    return ended.promise
  }

  function httpDeps(): Parameters<typeof createApp>[0] {
    const waiters = createWaiters(control.ledger, clock)
    const dispatch: DispatchDeps = {
      ...control,
      vault: keys.vault,
      settings: config.dispatch,
      waiters,
      shutdown: new AbortController().signal,
    }
    return {
      ledger: control.ledger,
      dispatch: {
        poll: (runner, signal) => poll(runner, dispatch, signal),
        ack: (handle) => control.ledger.acknowledge(handle),
      },
      receive: (delivery) => receive(delivery, { ...control, installation: side.installation }),
      secrets: control.secrets,
      metrics: {
        ...metrics,
        async text() {
          await readGauges(control.ledger, metrics)
          return metrics.text()
        },
      },
      health: {
        ready: readiness,
        live: () => ({ live: background.dead().length === 0, dead: [...background.dead()] }),
      },
      about: {
        version,
        installation: side.installation,
        forge: { kind: side.kind, url: side.url },
        dataDir: config.dataDir,
        startedAt: new Date(clock.now()).toISOString(),
      },
      operatorToken: token,
      isLoopback: isLoopbackHost(config.http.host),
      log,
      clock,
    }
  }

  async function readiness() {
    const answers = await ledger.now().then(
      () => ({ name: 'ledger', ready: true }),
      (error: Error) => ({ name: 'ledger', ready: false, why: error.message }),
    )
    const parts = [
      answers,
      { name: 'loops', ready: serving, ...(serving ? {} : { why: 'starting or stopping' }) },
    ]
    return { ready: parts.every((part) => part.ready), parts }
  }

  return runParts(parts, {
    log,
    clock,
    stopEvents: stopEventsOf(process),
    exit: (code) => process.exit(code),
    stopBoundMs: config.shutdown.boundMs,
    onServing: () =>
      options.onServing({
        url,
        forge: { kind: side.kind, url: side.url },
        dataDir: config.dataDir,
        database: store.kind,
      }),
  })
}
