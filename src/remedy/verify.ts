import { failedOf, type GateResult, gatesText, judgeGates, type RemedyFacts } from '../domain/remedy/index.ts'
import { keyOf } from '../domain/snapshot/index.ts'
import type { Applying } from './applying.ts'
import { attempted } from './attempted.ts'

const lookEveryMs = 2_000

/** Looks at a treated object until its act is proven; where that does not come in time, a person must look. */
export async function verifyAct<F extends RemedyFacts>(
  planned: F['plan']['objects'][number],
  applying: Applying<F>,
): Promise<void> {
  const { treatment, run, signal } = applying
  const { remedy, texts } = treatment
  const subject = `${planned.kind} ${keyOf(planned)}`
  const gates = await untilPassed(applying, remedy.bounds.verifyMaxMs, async () =>
    judgeGates(remedy.verifications, { planned, ...(await treatment.readAfter(planned, signal)) }),
  )
  if (failedOf(gates).length === 0) await run.move('verify', { subject, gates, outcome: texts.verified })
  else
    await run.move('escalate', {
      subject,
      gates,
      outcome: `not proven in time: ${gatesText(failedOf(gates))}; nothing more was touched, and no finalizer was stripped`,
    })
}

/** PROVE: every place that was touched is whole again. */
export async function proveEnds<F extends RemedyFacts>(applying: Applying<F>): Promise<void> {
  const { treatment, plan, run, signal } = applying
  const { remedy, texts } = treatment
  const proven: GateResult[] = []
  for (const { subject, read } of treatment.ends(plan)) {
    const gates = await untilPassed(applying, remedy.bounds.proveMaxMs, async () =>
      judgeGates(remedy.proofs, { plan, ...(await read(signal)) }),
    )
    proven.push(...gates.map(({ proof, ...rest }) => ({ ...rest, proof: `${subject}: ${proof}` })))
  }
  const failed = failedOf(proven)
  if (failed.length === 0) await run.move('finish', { gates: proven, outcome: texts.proven })
  else await run.move('escalate', { gates: proven, outcome: `not whole again in time: ${gatesText(failed)}` })
}

/** The first results that all pass, or the last there were. A look that fails is one that did not pass. */
async function untilPassed<F extends RemedyFacts>(
  { deps: { clock }, signal }: Applying<F>,
  maxMs: number,
  look: () => Promise<readonly GateResult[]>,
): Promise<readonly GateResult[]> {
  const until = clock.now() + maxMs
  for (;;) {
    const looked = await attempted(look)
    const gates =
      'value' in looked ? looked.value : [{ gate: 'readable', passed: false, proof: looked.failure }]
    if (failedOf(gates).length === 0 || clock.now() >= until || signal.aborted) return gates
    await clock.sleep(lookEveryMs, signal).catch(() => {}) // an interrupted wait ends with the results there are
  }
}
