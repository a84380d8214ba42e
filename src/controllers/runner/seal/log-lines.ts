import type { DeathRecord, Ending } from '../../../domain/death/index.ts'
import { redactCharsMax } from '../../../domain/redact/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import { newestText } from '../../../domain/tail/index.ts'
import type { Log } from '../../../ports/log.ts'
import { isClean } from './short-record.ts'

/** The longest field of a log line, which would lose its newest part; the ledger has the whole tail. */
const tailBytesMax = redactCharsMax
const runnerContainer = 'runner'

/**
 * Logs two lines for each sealed record, by whose words and fields log stores are searched: how the runner's pod (or
 * process) ended (docs/incidents/exit-code-never-recorded.md), and, of an end that was not clean, its last output
 * (docs/incidents/evidence-died-with-the-pod.md).
 */
export function logDeath(runner: Pick<Runner, 'name' | 'pool'>, record: DeathRecord, log: Log): void {
  const { ending, class: deathClass, outcome } = record
  const pod = ending?.pod?.place.pod ?? runner.name
  const { pool } = runner
  const line = {
    pod,
    pool,
    phase: ending?.pod?.phase ?? null,
    exitCode: ending?.exitCode ?? null,
    signal: ending?.signal ?? null,
    reason: kubeletReasonOf(ending),
    runner: runner.name,
    class: deathClass,
    outcome,
  }
  const isVanished = deathClass === 'vanished'
  const words = wordsOf(ending)
  if (isVanished) log.warn(line, words)
  else log.info(line, words)
  if (ending === null || isClean(record)) return
  const endedAt = new Date(ending.endedAt).toISOString()
  const tail = newestText(ending.tail, tailBytesMax)
  log.info({ pod, pool, endedAt, class: deathClass, tail }, 'runner death log captured')
}

/** A host without pods runs processes. Where nobody saw the end it is unknown, and log stores are searched for pods. */
function wordsOf(ending: Ending | null): string {
  return ending !== null && ending.pod === null ? 'runner process ended' : 'runner pod terminated'
}

/** The kubelet's reason for the runner's container, or else for the pod. */
function kubeletReasonOf(ending: Ending | null): string | null {
  const runner = ending?.pod?.containers.find(({ name }) => name === runnerContainer)
  return runner?.reason ?? ending?.pod?.reason ?? null
}
