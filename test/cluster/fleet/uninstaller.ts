import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { World } from './world.ts'

const run = promisify(execFile)
const commandLine = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))

/** Runs `holdfast uninstall` as a cluster administrator who also reaches the ledger of the fleet. */
export function uninstallerOf(world: World) {
  return async (...given: string[]) => {
    const own = { HOLDFAST_FLEET_KUBECONFIG: world.cluster.kubeconfig, HOLDFAST_LOG_LEVEL: 'error' }
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...world.env, ...own }
    const asked = ['uninstall', '--json', '--fleet-namespace', world.namespace, ...given]
    const { stdout, code } = await run(process.execPath, [commandLine, ...asked], { env }).then(
      ({ stdout: text }) => ({ stdout: text, code: 0 }),
      (error: { stdout: string; code: number }) => ({ stdout: error.stdout, code: error.code }),
    )
    const report = JSON.parse(stdout)
    if (report.error !== undefined) console.log(stdout)
    return { code, report }
  }
}
