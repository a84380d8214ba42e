import { createDiskHeadroom } from '../../controllers/ledger/disk/index.ts'
import { urlOf } from '../../http/index.ts'
import { type Config, type ConfigInputs, reloadingSecrets, secretsOf } from '../../platform/config/index.ts'
import { createTasks, runParts, stopEventsOf } from '../../platform/lifecycle/index.ts'
import { createBase } from '../base.ts'
import type { InstanceOwner } from '../instance/index.ts'
import { freePort } from '../machine/free-port.ts'
import { metricsOf } from './metrics.ts'
import type { Openers } from './openers.ts'
import type { Program } from './program.ts'
import { type Serving, startAll } from './start-all.ts'

interface UpOptions {
  readonly onServing: (serving: Serving) => void
  /** The secrets of the forge and the record store are read from these again when they change; null: they stay. */
  readonly inputs: ConfigInputs | null
  /** The user whose commands find this instance; null: it is registered nowhere. */
  readonly owner: InstanceOwner | null
}

/** Runs all of Holdfast in one process until a signal; returns the exit code. */
export async function up(config: Config, options: UpOptions, openers: Openers): Promise<number> {
  const { onServing, inputs, owner } = options
  const base = createBase(config)
  const { clock, entropy, log, redactor } = base
  const metrics = metricsOf(config)
  const { host } = config.http
  const port = config.http.port === 0 ? await freePort(host) : config.http.port
  const program: Program = {
    base,
    metrics,
    tasks: createTasks({ log, metrics, clock, entropy }),
    secrets:
      inputs === null ? () => secretsOf(config) : reloadingSecrets({ inputs, clock, log, redactor }).current,
    headroom: createDiskHeadroom(clock),
    address: { host, port, url: urlOf(host, port) },
    owner,
  }
  return runParts((start) => startAll(start, program, openers), {
    log,
    clock,
    stopEvents: stopEventsOf(process),
    exit: (code) => process.exit(code),
    stopBoundMs: config.shutdown.boundMs,
    onServing,
  })
}
