import { readTextFile } from '../../../src/main/machine/read-text-file.ts'
import { configured, up } from '../../../src/main/up/index.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { loadConfig } from '../../../src/platform/config/index.ts'
import { createEntropy } from '../../../src/platform/entropy.ts'
import { createFleetHost } from '../fleet/host.ts'

/* Holdfast as it is, except that its runners are conversations instead of processes. */
const isRoot = process.getuid?.() === 0
const { config } = loadConfig({ env: process.env, flags: {}, readFile: readTextFile, isRoot })
process.exitCode = await up(
  config,
  { onServing: () => process.send?.('serving'), inputs: null, owner: null },
  {
    ...configured,
    async fleet(...given) {
      const opened = await configured.fleet(...given)
      const host = createFleetHost(opened.host.id, {
        url: `http://${config.http.host}:${config.http.port}`,
        pollMs: config.dispatch.pollMs,
        clock: createClock(),
        entropy: createEntropy(),
      })
      return { ...opened, host }
    },
  },
)
process.disconnect?.()
