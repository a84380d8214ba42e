import { failedOf, type GateResult, gatesText, judgeGates } from '../../../domain/remedy/index.ts'
import { applyProofs, type ScopedSet } from '../../../domain/remedy/managed-apply/index.ts'
import { keyOf } from '../../../domain/snapshot/index.ts'
import { attempted } from '../../attempted.ts'
import { applyBounds } from '../bounds.ts'
import type { Step, Stepping } from '../step.ts'

/** PROVE_LISTENER_CAP: looks until each set is whole again with the wanted caps, or the time is up. */
export const prove: Step = async (stepping) => {
  const { run, deps, signal } = stepping
  const until = deps.clock.now() + applyBounds.proveMaxMs
  for (;;) {
    const gates: GateResult[] = []
    for (const set of run.record.sets) gates.push(...(await proofOf(set, stepping)))
    const failed = failedOf(gates)
    if (failed.length === 0)
      return {
        event: 'pass',
        gates,
        outcome: 'one generation, listener Running, caps as wanted, no job lost',
      }
    signal.throwIfAborted()
    if (deps.clock.now() >= until)
      return { event: 'escalate', gates, outcome: `not proven in time: ${gatesText(failed)}` }
    await deps.clock.sleep(applyBounds.lookEveryMs, signal)
  }
}

async function proofOf(set: ScopedSet, stepping: Stepping): Promise<readonly GateResult[]> {
  const { cluster } = stepping.deps
  const { signal } = stepping
  const looked = await attempted(async () => {
    const reading = await cluster.readSet(set, signal)
    const caps = await cluster.readCaps(set, signal)
    const left = new Set(reading.runners.map(({ name }) => name))
    const gone = set.busy.filter((name) => !left.has(name))
    const lost = await stillBusy(set, gone, stepping)
    return judgeGates(applyProofs, { reading, caps, wanted: set.restored ?? set.recorded, lost })
  })
  const gates =
    'value' in looked ? looked.value : [{ gate: 'readable', passed: false, proof: looked.failure }]
  return gates.map((each) => ({ ...each, proof: `${keyOf(set)}: ${each.proof}` }))
}

async function stillBusy(
  { forgeScope }: ScopedSet,
  names: readonly string[],
  { deps, signal }: Stepping,
): Promise<readonly string[]> {
  const busy: string[] = []
  for (const name of names) {
    const { runner } = await deps.forge.readRunner(forgeScope, name, signal)
    if (runner?.isBusy === true) busy.push(name)
  }
  return busy
}
