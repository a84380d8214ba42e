import type { Violation } from '../../sim/invariants/index.ts'
import { createRandom, type Random } from '../../sim/world/random.ts'
import type { Database } from '../../src/adapters/postgres/connection/index.ts'
import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import { dispatchOperations } from './dispatch-operations.ts'
import { forgeOperations } from './forge-operations.ts'
import { createHistory } from './history.ts'
import { keepingOperations, poolSets } from './keeping-operations.ts'
import { emptyKnowledge } from './knowledge.ts'
import { BrokenPromise, type Operation } from './operation.ts'
import { checkQuietEnd } from './quiet-end.ts'
import { runnerOperations } from './runner-operations.ts'
import { createSnapshotChecks } from './snapshot.ts'

export interface FuzzOptions {
  /** Ledgers on one database, as several processes have them. */
  readonly ledgers: readonly Ledger[]
  /** A connection of its own, for who looks. */
  readonly database: Database
  readonly seed: number
  readonly durationMs: number
  /** Between two looks. */
  readonly lookEveryMs: number
  readonly clock: { now(): number; sleep(ms: number): Promise<void> }
  readonly onLook?: (so: { readonly operations: number; readonly looks: number }) => void
}

export interface FuzzResult {
  readonly operations: number
  readonly looks: number
  /** Operations that lost a race too often, and are the caller's to repeat. */
  readonly contended: number
  readonly byName: ReadonlyMap<string, number>
  readonly violation: Violation | null
  /** The last operations on the subjects of the violation. */
  readonly history: readonly string[]
}

/** Concurrent workers on each ledger. */
const workersPerLedger = 5

export const operations: readonly Operation[] = [
  ...forgeOperations,
  ...dispatchOperations,
  ...runnerOperations,
  ...keepingOperations,
]

/**
 * Whole operations on several ledgers side by side, watched by the invariants. The seed gives each worker the operations
 * that it does and what it draws for them, and is even where the forge does not contradict itself; which rows these meet depends on the others' pace.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { ledgers, database, seed, durationMs, lookEveryMs, clock } = options
  const isTruthful = seed % 2 === 0
  const known = emptyKnowledge(isTruthful)
  const history = createHistory()
  const byName = new Map<string, number>()
  const until = clock.now() + durationMs
  let violation: Violation | null = null
  let contended = 0
  let count = 0
  let looks = 0
  const goesOn = () => violation === null && clock.now() < until
  const [first] = ledgers
  if (first === undefined) throw new Error('a fuzz needs a ledger')
  await first.putPools(poolSets[0] ?? [], { source: 'operator' })

  async function work(ledger: Ledger, name: string, random: Random): Promise<void> {
    for (let step = 1; goesOn(); step += 1) {
      const draw = random.fork(`${step}`)
      const operation = choose(draw)
      const line = history.begin(`${name} ${operation.name}`)
      try {
        line.end(await operation.run(ledger, known, draw))
        byName.set(operation.name, (byName.get(operation.name) ?? 0) + 1)
        count += 1
      } catch (error) {
        line.end(String(error))
        if (error instanceof HoldfastError && error.code === 'E_LEDGER_CONTENDED') contended += 1
        else violation ??= brokenBy(operation, error)
      }
    }
  }

  const check = createSnapshotChecks(database, isTruthful)
  async function look(): Promise<void> {
    while (goesOn()) {
      await clock.sleep(lookEveryMs)
      const found = await check()
      looks += 1
      violation ??= found
      options.onLook?.({ operations: count, looks })
    }
  }

  const random = createRandom(seed)
  const workers = ledgers.flatMap((ledger, of) =>
    Array.from({ length: workersPerLedger }, (_, n) => {
      const name = `${'ABCDEFGH'[of]}${n + 1}`
      return work(ledger, name, random.fork(name))
    }),
  )
  await Promise.all([...workers, look()])
  violation ??= await check()
  violation ??= await checkQuietEnd(first, database, known)
  return {
    operations: count,
    looks,
    contended,
    byName,
    violation,
    history: history.about(violation?.what ?? ''),
  }
}

const weights = operations.reduce((sum, { weight }) => sum + weight, 0)

function choose(draw: Random): Operation {
  let left = draw.between(0, weights)
  for (const operation of operations) {
    left -= operation.weight
    if (left < 0) return operation
  }
  return operations[0] as Operation
}

function brokenBy({ name }: Operation, error: unknown): Violation {
  if (error instanceof BrokenPromise) return { invariant: 'promise', what: error.message }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { invariant: 'no error', what: `"${name}" failed: ${what}` }
}
