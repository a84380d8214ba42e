import { type DeathRecord, type HostSamples, lastObservedAt } from '../../../src/domain/death/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { HostSampleLedger, HostSamplesKey, NodeSample } from '../../../src/ports/ledger.ts'
import { find, type State } from './state.ts'
import type { Tx } from './transaction.ts'

export function putHostSamples(tx: Tx, samples: HostSamples): 'kept' | 'older' {
  const { hostSamples } = tx.state
  const key = JSON.stringify([samples.podUid, samples.node])
  const known = hostSamples.get(key)?.samples
  if (known !== undefined && known.endedAt !== null && samples.endedAt === null) return 'older'
  if (known !== undefined && lastObservedAt(samples) < lastObservedAt(known)) return 'older'
  hostSamples.delete(key) // in the order of their pushes
  hostSamples.set(key, { samples, pushedAt: tx.now })
  return 'kept'
}

export function readHostSamples(
  { hostSamples }: State,
  { podUid, node }: HostSamplesKey,
): HostSamples | null {
  const found = [...hostSamples.values()].filter(
    ({ samples }) => samples.podUid === podUid && (node === null || samples.node === node),
  )
  return found.length === 1 ? (found[0]?.samples ?? null) : null
}

export function nodeSamples(
  { hostSamples }: State,
  { pushedWithinMs, limit }: Parameters<HostSampleLedger['nodeSamples']>[0],
  now: Instant,
): readonly NodeSample[] {
  const newest = new Map<string, HostSamples>()
  for (const { samples, pushedAt } of hostSamples.values()) {
    const known = newest.get(samples.node)
    if (pushedAt <= now - pushedWithinMs) continue
    if (known === undefined || lastObservedAt(samples) > lastObservedAt(known))
      newest.set(samples.node, samples)
  }
  return [...newest.values()]
    .sort((a, b) => lastObservedAt(b) - lastObservedAt(a))
    .slice(0, limit)
    .flatMap(({ node, samples }) => samples.slice(-1).map((sample) => ({ node, sample })))
}

export function dropHostSamples(tx: Tx, bounds: Parameters<HostSampleLedger['dropHostSamples']>[0]): number {
  const { hostSamples } = tx.state
  const strangers = [...hostSamples]
    .filter(([, { samples }]) => !isRunners(tx.state, samples.podUid))
    .map(([key]) => key)
  const tooMany = strangers.slice(0, Math.max(0, strangers.length - bounds.strangersMax))
  const old = [...hostSamples].filter(([, { pushedAt }]) => pushedAt <= tx.now - bounds.olderThanMs)
  const dropped = [...new Set([...tooMany, ...old.map(([key]) => key)])].slice(0, bounds.limit)
  for (const key of dropped) hostSamples.delete(key)
  return dropped.length
}

function isRunners(state: State, podUid: string): boolean {
  const isOfPod = (record: Readonly<Record<string, unknown>>) =>
    (record as unknown as DeathRecord).ending?.pod?.place.uid === podUid
  return (
    find(state.runners, (runner) => runner.name === podUid || runner.podUid === podUid) !== null ||
    find(state.archivedRunners, ({ runner, death }) => runner.name === podUid || isOfPod(death.record)) !==
      null ||
    find(state.evidence, ({ kind, record }) => kind === 'runner-death' && isOfPod(record)) !== null
  )
}
