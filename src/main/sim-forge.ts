import { urlOf } from '../http/index.ts'
import type { Config } from '../platform/config/index.ts'
import { type Part, runParts, stopEventsOf } from '../platform/lifecycle/index.ts'
import { createBase } from './base.ts'
import { startSimulated, webhookSecretsOf } from './forge/index.ts'
import { operatorToken } from './kept-random.ts'

/** Runs the simulated forge alone, sending its webhooks to where Holdfast would serve. */
export async function simForge(
  config: Config,
  onServing: (serving: { readonly url: string }) => void,
): Promise<number> {
  const base = createBase(config)
  let url = ''
  const part: Part = {
    name: 'simulated forge',
    async start() {
      const webhookUrl = `${urlOf(config.http.host, config.http.port)}/webhooks/forge`
      const given = { webhookUrl, token: await operatorToken(base) }
      const forge = await startSimulated(base, given, webhookSecretsOf(base))
      url = forge.url
      return () => forge.close()
    },
  }
  return runParts([part], {
    log: base.log,
    clock: base.clock,
    stopEvents: stopEventsOf(process),
    exit: (code) => process.exit(code),
    stopBoundMs: config.shutdown.boundMs,
    onServing: () => onServing({ url }),
  })
}
