import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../src/main/machine/free-port.ts'
import { type Life, startHoldfast } from '../cluster/fleet/holdfast.ts'
import { until } from '../cluster/machine/until.ts'
import { start as startPostgres } from '../support/embedded.ts'
import { backdate } from './backdate.ts'
import type { Bench, Case } from './cases.ts'
import { expectMade, type Json, runnersPath } from './ground.ts'
import { leaderNamespace } from './leader-rights.ts'

const program = path.join(import.meta.dirname, '../../bin/holdfast')
const soonMs = 60_000
const hourMs = 60 * 60_000
const setOfRunners = 'arc-runners/arc-demo'

interface Row {
  readonly step: string
  readonly plan: string | null
  readonly subject: string | null
  readonly actor: { readonly kind: string; readonly name: string }
  readonly outcome: string
}

/** One look of a leader, as it logs its end. */
interface Look {
  readonly mode: string
  readonly state: string
  readonly planned: number
  readonly removed: number
}

/** A `holdfast up` in the cluster, with the reaper. */
export interface Leader {
  readonly life: Life
  serves(): Promise<void>
  /** Its looks so far. */
  looks(): Promise<readonly Look[]>
  /** Waits for the end of its first look. */
  looked(): Promise<Look>
  /** The whole trail, as a command next to it reads it. */
  trail(): Promise<readonly Row[]>
  /** Throws where the trail does not hold. */
  verify(): Promise<string>
}

/** A set of ARC that wants one of its runners, and Holdfasts that look at it. */
export interface LeaderBench {
  readonly names: readonly string[]
  left(): Promise<readonly string[]>
  /** One more runner of the set, with a status of its own. */
  add(name: string, status: object): Promise<string>
  /** Makes runners two hours old. */
  age(names: readonly string[]): Promise<void>
  lead(mode: 'observe' | 'apply', env?: Readonly<Record<string, string>>): Promise<Leader>
  /** Settings by which several share one Postgres. */
  onePostgres(): Promise<Readonly<Record<string, string>>>
}

let benches = 0

/** A case with leaders, all of which are ended after it. */
export function withLeaders(work: (leaders: LeaderBench, bench: Bench) => Promise<void>): Case {
  return async (bench) => {
    const opened = new AsyncDisposableStack()
    try {
      await work(await leaderBench(bench, opened), bench)
    } finally {
      await opened.disposeAsync()
    }
  }
}

async function leaderBench(
  { ground, forge, folder }: Bench,
  opened: AsyncDisposableStack,
): Promise<LeaderBench> {
  benches += 1
  const file = (name: string) => path.join(folder, `leader-${benches}-${name}`)
  const { cluster, leaderKubeconfig } = ground
  const { api } = cluster
  forge.onAnswered = () => {}
  for (const names of [forge.busy, forge.offline, forge.registered]) names.clear()
  const names = await ground.leak(forge.url)
  for (const name of names) forge.registered.add(name)
  const common = {
    HOLDFAST_FORGE_KIND: 'github',
    HOLDFAST_FORGE_URL: forge.url,
    HOLDFAST_FORGE_TOKEN: 'not-a-real-one-of-the-leader',
    HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([randomBytes(16).toString('hex')]),
    HOLDFAST_FLEET_KIND: 'kubernetes',
    HOLDFAST_FLEET_KUBECONFIG: leaderKubeconfig,
    HOLDFAST_FLEET_NAMESPACE: leaderNamespace,
    HOLDFAST_FLEET_SERVER_URL: 'http://127.0.0.1:9',
    HOLDFAST_FLEET_LEASE: `leader-${benches}`,
    HOLDFAST_FLEET_LEASE_SECONDS: '4',
    HOLDFAST_REMEDIES_REAP_SCALE_SETS: setOfRunners,
  }
  let lives = 0
  return {
    names,
    left: async () =>
      (await api.request('GET', runnersPath)).body.items.map((each: Json) => each.metadata.name),
    async add(name, status) {
      const [like] = (await api.request('GET', runnersPath)).body.items as Json[]
      const { apiVersion, kind, spec, metadata } = like
      const { namespace, labels, annotations, finalizers, ownerReferences } = metadata
      const added = { name, namespace, labels, annotations, finalizers, ownerReferences }
      await expectMade(api, runnersPath, { apiVersion, kind, spec, metadata: added })
      const whole = { status: { ...like.status, runnerName: name, ...status } }
      await api.request('PATCH', `${runnersPath}/${name}/status`, whole, 'application/merge-patch+json')
      forge.registered.add(name)
      return name
    },
    age: (old) => backdate(cluster, old, new Date(Date.now() - 2 * hourMs)),
    async lead(mode, more = {}) {
      const env = { ...common, HOLDFAST_REMEDIES_REAP_MODE: mode, ...more }
      lives += 1
      const leader = await start(file(`${lives}`), env)
      opened.defer(async () => {
        leader.life.signal('SIGTERM')
        await leader.life.exited
      })
      return leader
    },
    async onePostgres() {
      const { url, stop } = await startPostgres(file('postgres'))
      opened.defer(() => stop())
      const ring = JSON.stringify({ k: randomBytes(32).toString('base64') })
      return { HOLDFAST_DATABASE_URL: url, HOLDFAST_KEYS_CURRENT: 'k', HOLDFAST_KEYS_RING: ring }
    },
  }
}

async function start(dataDir: string, given: Readonly<Record<string, string>>): Promise<Leader> {
  const env = { ...given, HOME: dataDir }
  const life = await startHoldfast({ dataDir, port: await freePort('127.0.0.1'), env, byHand: true })
  const run = async (...args: readonly string[]): Promise<string> => {
    const around = { PATH: process.env.PATH, ...env, HOLDFAST_DATA_DIR: dataDir }
    return (await promisify(execFile)(program, args, { env: around })).stdout
  }
  const looks = async () =>
    (await life.log())
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes('"reaped"'))
      .map((line) => JSON.parse(line) as Look)
  const waited = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    until(what, soonMs, look).catch(async (error) => {
      throw new Error(`${error}\n${(await life.log()).slice(-3_000)}`)
    })
  return {
    life,
    looks,
    serves: async () => {
      const ready = () => fetch(`${life.url}/readyz`).catch(() => null)
      await waited('it serves', async () => (await ready())?.status === 200)
    },
    looked: () => waited('the leader has looked', async () => (await looks())[0]),
    trail: async () => JSON.parse(await run('trail', 'list', '--limit', '1000', '--json')),
    verify: () => run('trail', 'verify'),
  }
}
