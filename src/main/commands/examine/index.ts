import { portProblems } from '../../../adapters/machine/index.ts'
import type { Check } from '../../../domain/examination.ts'
import type { Config } from '../../../platform/config/index.ts'
import { loadForgeModule } from '../../forge/index.ts'
import { instanceIn } from '../../instance/index.ts'
import { checkCgroups } from './cgroups.ts'
import { checkDisk } from './disk.ts'
import { checkIsolation } from './isolation.ts'

/** Checks this machine for `doctor`. Holdfast need not run, and nothing is changed. */
export async function examine(config: Config): Promise<readonly Check[]> {
  const isLocal = config.fleet.kind === 'local'
  return Promise.all([
    checkPorts(config),
    checkDisk(config.dataDir),
    ...(isLocal ? [checkCgroups(), checkIsolation(config)] : []),
    checkNode(),
  ])
}

async function checkPorts({ dataDir, http, forge }: Config): Promise<Check> {
  const name = 'ports'
  const instance = await instanceIn(dataDir)
  if (instance !== null) {
    return { name, result: 'ok', found: `process ${instance.pid} serves ${instance.url}`, todo: null }
  }
  const { ports } = await loadForgeModule(forge.kind)
  const wanted = [{ host: http.host, port: http.port, setting: 'http.port' }, ...ports(forge)]
  const problems = await portProblems(wanted)
  if (problems.length === 0) {
    const ports = wanted.map(({ port }) => (port === 0 ? 'any' : port)).join(', ')
    return { name, result: 'ok', found: `${ports}: nobody else listens there`, todo: null }
  }
  const found = problems.map(
    ({ host, port, setting, holder, reason }) => `${host}:${port} (${setting}): ${holder ?? reason}`,
  )
  const todo =
    'End that program, or choose other ports: --http-port, --forge-simulated-port; 0 takes a free one.'
  return { name, result: 'fail', found: found.join('; '), todo }
}

async function checkNode(): Promise<Check> {
  return { name: 'node', result: 'ok', found: `Node ${process.versions.node}`, todo: null }
}
