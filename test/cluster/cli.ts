import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { reasonOf } from '../../src/domain/reason.ts'
import { exists } from '../support/go-build.ts'
import { openCluster } from './cluster.ts'
import { down } from './down.ts'
import { loadFleetImages } from './fleet/images.ts'
import { keeperOf } from './machine/keeper.ts'
import { mustBeRoot } from './machine/needs.ts'
import { logFileOf } from './machine/start-part.ts'
import { startAgain } from './parts/ready.ts'
import { placeOf } from './place.ts'
import { clusterNames, status } from './status.ts'
import { up } from './up.ts'

const usage = `A real Kubernetes on this machine, for tests and development.

  npm run cluster -- up [--name <name>] [--nodes <1 to 3>] [--kwok <number of nodes that are only objects>]
  npm run cluster -- status [--name <name>]
  npm run cluster -- logs <part> [--follow] [--name <name>]
  npm run cluster -- kill|stop|continue|start <part> [--name <name>]
  npm run cluster -- images [--name <name>]           puts Holdfast's poller and the simulator's runner on the nodes
  npm run cluster -- expose <port> [--name <name>]    lets pods reach a port of this machine's loopback
  npm run cluster -- down [--name <name> | --all]

The name is "default" unless given. Root is needed, and Go for the first time.`

const say = (line: string): void => console.log(line)

main().catch((error: unknown) => {
  console.error(reasonOf(error))
  process.exitCode = 1
})

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      name: { type: 'string', default: 'default' },
      nodes: { type: 'string', default: '1' },
      kwok: { type: 'string', default: '0' },
      all: { type: 'boolean', default: false },
      follow: { type: 'boolean', short: 'f', default: false },
    },
  })
  const [command, part] = positionals
  if (command !== undefined) mustBeRoot()
  const place = placeOf(values.name)
  const keeper = keeperOf(place)
  switch (command) {
    case 'up':
      return goUp(values.name, Number(values.nodes), Number(values.kwok))
    case 'down':
      for (const name of values.all ? await clusterNames() : [values.name]) await goDown(name)
      return
    case 'status':
      return showStatus(values.name)
    case 'logs':
      return showLog(values.name, needed(part), values.follow)
    case 'images':
      return loadImages(values.name)
    case 'expose':
      return expose(values.name, Number(needed(part, 'Which port?')))
    case 'kill':
      return keeper.kill(needed(part))
    case 'stop':
      return keeper.signal(needed(part), 'SIGSTOP')
    case 'continue':
      return keeper.signal(needed(part), 'SIGCONT')
    case 'start':
      return startAgain(place, needed(part))
    default:
      throw new Error(command === undefined ? usage : `There is no command "${command}".\n\n${usage}`)
  }
}

function needed(
  given: string | undefined,
  question = 'Which part? `npm run cluster -- status` shows them.',
): string {
  if (given !== undefined) return given
  throw new Error(question)
}

async function goUp(name: string, nodes: number, kwokNodes: number): Promise<void> {
  const place = placeOf(name)
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => ending.abort(new Error(`${signal}: what was started is ended again`)))
  }
  const began = performance.now()
  const cluster = await up({ name, nodes, kwokNodes, signal: ending.signal }, say)
  const state = await cluster.parts.state()
  await cluster.api[Symbol.asyncDispose]()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const kinds = `${state.nodes} real ${state.nodes === 1 ? 'node' : 'nodes'}${state.kwokNodes > 0 ? `, ${state.kwokNodes} KWOK nodes` : ''}`
  say(`cluster "${name}" is up: Kubernetes ${state.kubernetesVersion}, ${kinds}, after ${seconds} s`)
  say(`  export KUBECONFIG=${cluster.kubeconfig}`)
  say(`  ${path.join(place.folder, 'kubectl')} get nodes`)
}

async function loadImages(name: string): Promise<void> {
  const cluster = await openCluster(name)
  const { poller, runner, runnerCommand } = await loadFleetImages(cluster)
  await cluster.api[Symbol.asyncDispose]()
  say(`  --fleet-poller-image ${poller}`)
  say(`  image: ${runner}`)
  say(`  command: ${JSON.stringify(runnerCommand)}`)
}

async function expose(name: string, port: number): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('A port is 1 to 65535.')
  const cluster = await openCluster(name)
  say(`pods reach 127.0.0.1:${port} of this machine at http://${await cluster.expose(port)}`)
  await cluster.api[Symbol.asyncDispose]()
}

async function goDown(name: string): Promise<void> {
  const was = await down(placeOf(name))
  say(was ? `cluster "${name}" is down; nothing of it is left` : `there is no cluster "${name}"`)
}

async function showStatus(name: string): Promise<void> {
  const parts = await status(placeOf(name))
  if (parts === null) {
    const others = await clusterNames()
    throw new Error(`There is no cluster "${name}"${others.length > 0 ? `, but ${others.join(', ')}` : ''}.`)
  }
  for (const each of parts) say(`${each.name.padEnd(22)} ${`${each.pid ?? '-'}`.padEnd(9)} ${each.health}`)
  if (parts.some(({ health }) => /^(ended|not ready|no answer|unknown)/.test(health))) process.exitCode = 1
}

async function showLog(name: string, part: string, follow: boolean): Promise<void> {
  const file = logFileOf(placeOf(name), part)
  if (!(await exists(file))) throw new Error(`There is no log of "${part}" of the cluster "${name}".`)
  const [code] = await once(
    spawn(follow ? 'tail' : 'cat', [...(follow ? ['-n', '100', '-F'] : []), file], { stdio: 'inherit' }),
    'exit',
  )
  process.exitCode = code ?? 1
}
