import { readTextFile } from '../../../src/main/machine/read-text-file.ts'
import { configured, up } from '../../../src/main/up/index.ts'
import { loadConfig } from '../../../src/platform/config/index.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'
import type { HostedRunner, RunnerHost } from '../../../src/ports/runner-host.ts'

/*
 * Holdfast as it is, with runners that never ask for work, so that a message costs what a message costs.
 * BENCH_INTAKE=held: what was stored is not worked on meanwhile.
 */
const isHeld = process.env.BENCH_INTAKE === 'held'
const isRoot = process.getuid?.() === 0
const { config } = loadConfig({ env: process.env, flags: {}, readFile: readTextFile, isRoot })
process.exitCode = await up(
  config,
  { onServing: ({ url }) => process.send?.({ url }), inputs: null, owner: null },
  {
    ...configured,
    async ledger(...given) {
      const opened = await configured.ledger(...given)
      return isHeld ? { ...opened, ledger: withoutIntake(opened.ledger) } : opened
    },
    async fleet(...given) {
      const opened = await configured.fleet(...given)
      return { ...opened, host: silentHost(opened.host.id) }
    },
  },
)
process.disconnect?.()

function withoutIntake(ledger: Ledger): Ledger {
  return new Proxy(ledger, {
    get: (target, property) =>
      property === 'pendingDeliveries' ? async () => [] : Reflect.get(target, property, target),
  })
}

const idle: Omit<HostedRunner, 'name' | 'pool'> = {
  state: 'running',
  startedAt: null,
  program: 'unknown',
  template: null,
  node: null,
  problem: null,
  leavingSince: null,
  silentSince: null,
  isProtected: true,
  exitedAt: null,
}

/** Its runners live and never ask. */
function silentHost(id: string): RunnerHost {
  const hosted = new Map<string, HostedRunner>()
  return {
    id,
    async start({ name, pool }) {
      hosted.set(name, { ...idle, name, pool })
      return { kind: 'started' }
    },
    list: async () => [...hosted.values()],
    find: async (name) => hosted.get(name) ?? null,
    uidOf: () => undefined,
    ending: async () => null,
    evidenceDeadlineMs: () => 60_000,
    async stop(name) {
      hosted.delete(name)
      return 'asked'
    },
    release: async () => {},
    abandon: async () => {},
    protect: async () => {},
    template: () => null,
    headroom: async () => ({ more: null, problem: null }),
    nodes: async () => [],
    onChange: () => () => {},
  }
}
