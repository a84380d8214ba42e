import { once } from 'node:events'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Cluster } from '../cluster/index.ts'
import { arcApi } from '../cluster/testing/arc-kinds.ts'
import type { Case } from './cases.ts'
import { expectMade, type Json } from './ground.ts'
import { type Ran, type Running, start } from './holdfast.ts'
import { takeCapsOn } from './stand-ins.ts'

const sets = `${arcApi}/namespaces/arc-runners/autoscalingrunnersets`
const setPath = `${sets}/arc-demo`
const generations = `${arcApi}/namespaces/arc-runners/ephemeralrunnersets`
const listeners = `${arcApi}/namespaces/arc-systems/autoscalinglisteners`
const markKey = 'holdfast.dev/managed-apply'
const saidWithinMs = 90_000

interface Caps {
  readonly minRunners: number | null
  readonly maxRunners: number | null
  readonly mark: string | null
}

interface Applying extends Running {
  /** Also where a command that it began goes on. */
  readonly exited: Promise<unknown>
  readonly progress: () => string
}

type Undo = () => Promise<unknown>

/** A healthy set of ARC with two idle runners, whose caps are read and written by `holdfast apply`. */
export interface ApplyBench {
  readonly cluster: Cluster
  readonly before: Caps
  readonly say: (line: string) => void
  /** Runs a script of a shell as the user's command. */
  apply(script: string): Applying
  run(...args: readonly string[]): Promise<Ran>
  caps(): Promise<Caps>
  /** The resourceVersion of the set. */
  version(): Promise<string>
  /** A file of this case. */
  file(name: string): string
  addGeneration(): Promise<Undo>
  removeListener(): Promise<Undo>
}

let folders = 0

/** A case on a set at rest, with a stand-in for the part of ARC that takes caps on. */
export function atRest(work: (bench: ApplyBench) => Promise<void>): Case {
  return async ({ ground, forge, folder, say }) => {
    folders += 1
    const dataDir = path.join(folder, `apply-${folders}`)
    forge.onAnswered = () => {}
    forge.busy.clear()
    forge.registered.clear()
    for (const name of await ground.make('0.14.2/a-healthy-idle', forge.url)) forge.registered.add(name)
    const { cluster, applyKubeconfig } = ground
    const { api } = cluster
    const begin = (...args: readonly string[]) => start(dataDir, forge.url, applyKubeconfig, ...args)
    const read = async (): Promise<Json> => (await api.request('GET', setPath)).body
    const caps = async (): Promise<Caps> => {
      const { spec, metadata } = await read()
      const { minRunners = null, maxRunners = null } = spec
      return { minRunners, maxRunners, mark: metadata.annotations?.[markKey] ?? null }
    }
    const arc = takeCapsOn(cluster, forge)
    const bench: ApplyBench = {
      cluster,
      before: await caps(),
      say,
      caps,
      apply(script) {
        const scope = ['--scale-set', 'arc-runners/arc-demo', '--settle-timeout', '60']
        const running = begin('apply', ...scope, '--', 'sh', '-c', script)
        return { ...running, exited: once(running.child, 'exit'), progress: kept(running.child.stderr) }
      },
      run: (...args) => begin(...args).ended,
      version: async () => (await read()).metadata.resourceVersion,
      file: (name) => `${dataDir}-${name}`,
      addGeneration: () => addGeneration(api),
      removeListener: () => removeListener(api),
    }
    await work(bench).finally(() => arc[Symbol.asyncDispose]())
  }
}

/** Waits until an apply says a line. */
export async function whenSaid({ child, progress, exited }: Applying, line: RegExp): Promise<void> {
  const until = AbortSignal.timeout(saidWithinMs)
  let hasEnded = false
  void exited.then(() => {
    hasEnded = true
  })
  while (!line.test(progress())) {
    if (hasEnded || child.stderr === null) throw new Error(`it ended before it said ${line}: ${progress()}`)
    await Promise.race([once(child.stderr, 'data', { signal: until }), exited])
  }
}

function kept(stream: Readable | null): () => string {
  const chunks: Buffer[] = []
  stream?.on('data', (chunk: Buffer) => void chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

async function addGeneration(api: Cluster['api']): Promise<Undo> {
  const [{ apiVersion, kind, metadata, spec }] = (await api.request('GET', generations)).body.items
  const { labels, annotations, ownerReferences, namespace } = metadata
  const name = `${metadata.name}-next`
  await expectMade(api, generations, {
    apiVersion,
    kind,
    spec,
    metadata: { name, namespace, labels, annotations, ownerReferences },
  })
  return () => api.request('DELETE', `${generations}/${name}`)
}

async function removeListener(api: Cluster['api']): Promise<Undo> {
  const [{ metadata }] = (await api.request('GET', listeners)).body.items
  const finalizers = { metadata: { finalizers: null } }
  await api.request('PATCH', `${listeners}/${metadata.name}`, finalizers, 'application/merge-patch+json')
  await api.request('DELETE', `${listeners}/${metadata.name}`)
  return async () => {}
}
