import { type DeathRecord, type HostRing, seenUntil } from '../../../src/domain/death/index.ts'
import type { Ledger, RingOf } from '../../../src/ports/ledger.ts'
import { find, type State } from './state.ts'
import type { Tx } from './transaction.ts'

export function putRing(tx: Tx, ring: HostRing): 'kept' | 'older' {
  const { rings } = tx.state
  const key = JSON.stringify([ring.podUid, ring.node])
  const known = rings.get(key)?.ring
  if (known !== undefined && known.endedAt !== null && ring.endedAt === null) return 'older'
  if (known !== undefined && seenUntil(ring) < seenUntil(known)) return 'older'
  rings.delete(key) // in the order of their pushes
  rings.set(key, { ring, pushedAt: tx.now })
  return 'kept'
}

export function readRing({ rings }: State, { podUid, node }: RingOf): HostRing | null {
  const found = [...rings.values()].filter(
    ({ ring }) => ring.podUid === podUid && (node === null || ring.node === node),
  )
  return found.length === 1 ? (found[0]?.ring ?? null) : null
}

export function dropRings(tx: Tx, bounds: Parameters<Ledger['dropRings']>[0]): number {
  const { rings } = tx.state
  const strangers = [...rings].filter(([, { ring }]) => !isRunners(tx.state, ring.podUid)).map(([key]) => key)
  const tooMany = strangers.slice(0, Math.max(0, strangers.length - bounds.strangersMax))
  const old = [...rings].filter(([, { pushedAt }]) => pushedAt <= tx.now - bounds.olderThanMs)
  const dropped = [...new Set([...tooMany, ...old.map(([key]) => key)])].slice(0, bounds.limit)
  for (const key of dropped) rings.delete(key)
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
