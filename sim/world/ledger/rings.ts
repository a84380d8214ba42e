import { type DeathRecord, type HostRing, seenUntil } from '../../../src/domain/death/index.ts'
import type { Ledger } from '../../../src/ports/ledger.ts'
import { find, type State } from './state.ts'
import type { Tx } from './transaction.ts'

export function putRing(tx: Tx, ring: HostRing): 'kept' | 'older' | 'foreign' {
  const { rings } = tx.state
  const known = rings.get(ring.podUid)?.ring
  if (known !== undefined && known.node !== ring.node) return 'foreign'
  if (known !== undefined && known.endedAt !== null && ring.endedAt === null) return 'older'
  if (known !== undefined && seenUntil(ring) < seenUntil(known)) return 'older'
  rings.delete(ring.podUid) // in the order of their pushes
  rings.set(ring.podUid, { ring, pushedAt: tx.now })
  return 'kept'
}

export function dropRings(tx: Tx, bounds: Parameters<Ledger['dropRings']>[0]): number {
  const { rings } = tx.state
  const strangers = [...rings.keys()].filter((podUid) => !isRunners(tx.state, podUid))
  const tooMany = strangers.slice(0, Math.max(0, strangers.length - bounds.strangersMax))
  const old = [...rings].filter(([, { pushedAt }]) => pushedAt <= tx.now - bounds.olderThanMs)
  const dropped = [...new Set([...tooMany, ...old.map(([podUid]) => podUid)])].slice(0, bounds.limit)
  for (const podUid of dropped) rings.delete(podUid)
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
