import type { DeathRecord, Ending } from '../../../domain/death/index.ts'
import { REDACT_CHARS_MAX } from '../../../domain/redact/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import { newestText } from '../../../domain/tail/index.ts'
import type { Log } from '../../../ports/log.ts'
import { isClean } from './short-record.ts'

/** One field of a log line takes no more characters, and would lose its newest; the ledger has the whole tail. */
const TAIL_BYTES_MAX = REDACT_CHARS_MAX
const RUNNER_CONTAINER = 'runner'

/**
 * Two lines for each sealed record, by whose words and fields log stores are searched (seeds 000 and 001): how the
 * runner's pod (or process) ended, and, of an end that was not clean, its last output.
 */
export function logDeath(runner: Pick<Runner, 'name' | 'pool'>, record: DeathRecord, log: Log): void {
  const { ending, class: deathClass, outcome } = record
  const pod = ending?.pod?.place.pod ?? runner.name
  const { pool } = runner
  const line = {
    ...{ pod, pool, phase: ending?.pod?.phase ?? null, exitCode: ending?.exitCode ?? null },
    ...{ signal: ending?.signal ?? null, reason: reasonOf(ending) },
    ...{ runner: runner.name, class: deathClass, outcome },
  }
  const isVanished = deathClass === 'vanished'
  const words = wordsOf(ending)
  if (isVanished) log.warn(line, words)
  else log.info(line, words)
  if (ending === null || isClean(record)) return
  const endedAt = new Date(ending.endedAt).toISOString()
  const tail = newestText(ending.tail, TAIL_BYTES_MAX)
  log.info({ pod, pool, endedAt, class: deathClass, tail }, 'runner death log captured')
}

/** A host that saw no pod runs processes. Of one that nobody saw end it is not known, and log stores are searched for pods. */
function wordsOf(ending: Ending | null): string {
  return ending !== null && ending.pod === null ? 'runner process ended' : 'runner pod terminated'
}

/** The kubelet's word about the runner's container, or else about the pod. */
function reasonOf(ending: Ending | null): string | null {
  const runner = ending?.pod?.containers.find(({ name }) => name === RUNNER_CONTAINER)
  return runner?.reason ?? ending?.pod?.reason ?? null
}
