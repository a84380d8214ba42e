import { readTextFile } from '../../src/main/machine/read-text-file.ts'
import { configured, up } from '../../src/main/up/index.ts'
import { loadConfig } from '../../src/platform/config/index.ts'

/*
 * Holdfast with proxies around the ledger, the forge and the runner host that kill it: CRASH_AT=ledger.claim:after:2 ends
 * the process with SIGKILL after the second claim took effect and before its result is used.
 */
const [call = '', when = '', nth = '1'] = (process.env.CRASH_AT ?? '').split(':')
let met = 0

function crash(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;); // the signal is on its way; nothing more may happen
}

function armed<Port extends object>(name: string, port: Port): Port {
  return new Proxy(port, {
    get(target, property) {
      const method = Reflect.get(target, property)
      if (typeof method !== 'function' || `${name}.${String(property)}` !== call) return method
      return async (...args: unknown[]) => {
        met += 1
        if (met === Number(nth) && when === 'before') crash()
        const result = await method.apply(target, args)
        if (met >= Number(nth) && when === 'after') crash()
        return result
      }
    },
  })
}

// The parent process is gone, and nobody would end this one.
process.on('disconnect', () => process.exit(1))
process.channel?.unref() // the listener would otherwise keep the process alive

const isRoot = process.getuid?.() === 0
const { config } = loadConfig({ env: process.env, flags: {}, readFile: readTextFile, isRoot })
process.exitCode = await up(
  config,
  { onServing: () => process.send?.('serving'), inputs: null, owner: null },
  {
    async ledger(...given) {
      const opened = await configured.ledger(...given)
      return { ...opened, ledger: armed('ledger', opened.ledger) }
    },
    async forge(...given) {
      const opened = await configured.forge(...given)
      return { ...opened, forge: armed('forge', opened.forge) }
    },
    async fleet(...given) {
      const opened = await configured.fleet(...given)
      return { ...opened, host: armed('host', opened.host) }
    },
  },
)
