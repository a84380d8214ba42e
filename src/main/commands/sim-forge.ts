import { urlOf } from '../../http/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { type Part, runParts, stopEventsOf } from '../../platform/lifecycle/index.ts'
import { createBase } from '../base.ts'
import { readOperatorToken } from '../data-folder/index.ts'
import { startSimulated, webhookSecretsOf } from '../forge/index.ts'

/** Runs the simulated forge alone; its webhooks go to the address where Holdfast would serve. */
export async function runSimulatedForge(
  config: Config,
  onServing: (serving: { readonly url: string }) => void,
): Promise<number> {
  const base = createBase(config)
  const part: Part<{ readonly url: string; close(): Promise<void> }> = {
    name: 'simulated forge',
    async start() {
      const webhookUrl = `${urlOf(config.http.host, config.http.port)}/webhooks/forge`
      const token = await readOperatorToken(base)
      const webhookSecrets = webhookSecretsOf(base)
      return startSimulated(base, { webhookUrl, token, webhookSecrets })
    },
    stop: (forge) => forge.close(),
  }
  return runParts((start) => start(part), {
    log: base.log,
    clock: base.clock,
    stopEvents: stopEventsOf(process),
    exit: (code) => process.exit(code),
    stopBoundMs: config.shutdown.boundMs,
    onServing: ({ url }) => onServing({ url }),
  })
}
