import { urlOf } from '../http/index.ts'
import type { Config } from '../platform/config/index.ts'
import { type Part, runParts, stopEventsOf } from '../platform/lifecycle/index.ts'
import { createBase } from './base.ts'
import { openForge } from './forge.ts'
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
      const webhooks = `${urlOf(config.http.host, config.http.port)}/webhooks/forge`
      const side = await openForge(base, webhooks, await operatorToken(base))
      url = side.url
      return () => side.stop()
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
