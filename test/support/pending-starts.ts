import type { PendingStart } from '../../src/controllers/pool/provision/index.ts'
import type { StartProblem } from '../../src/domain/pool/index.ts'
import { type ControlBench, cause, hostId } from './control-bench.ts'

export const refused: StartProblem = {
  kind: 'TemplateRefused',
  message: 'spec.containers: Required value',
  since: 1,
}

/** Lets what is under way go on as far as it can. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A row of a runner, and the order to start it. */
export async function pending(bench: ControlBench, name: string, over: Partial<PendingStart> = {}) {
  const pool = name.slice(0, name.indexOf('-'))
  const row = { name, pool, host: hostId, identityHash: null, bootDeadlineMs: 600_000 }
  const runner = await bench.ledger.enrol(row, cause)
  const now = bench.clock.now()
  const times = { deadline: now + 600_000, freshUntil: now + 300_000 }
  return { runner, secret: '', ...times, mayExist: false, ...over }
}

export const pendingAll = (bench: ControlBench, names: readonly string[]) =>
  Promise.all(names.map((name) => pending(bench, name)))
