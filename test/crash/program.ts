import { readTextFile } from '../../src/main/read-file.ts'
import { type Effects, up } from '../../src/main/up.ts'
import { loadConfig } from '../../src/platform/config/index.ts'

/*
 * Holdfast as it is, with something between it and its effects that kills it: CRASH_AT=ledger.claim:after:2 ends
 * the process with SIGKILL after the second claim took effect and before its answer is used.
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

// Whoever started it is gone, and nobody would end it.
process.on('disconnect', () => process.exit(1))
process.channel?.unref() // who listens for that would otherwise be kept alive by it

const isRoot = process.getuid?.() === 0
const { config } = loadConfig({ env: process.env, flags: {}, readFile: readTextFile, isRoot })
process.exitCode = await up(config, {
  onServing: () => process.send?.('serving'),
  through: ({ ledger, forge, host }: Effects) => ({
    ledger: armed('ledger', ledger),
    forge: armed('forge', forge),
    host: armed('host', host),
  }),
})
