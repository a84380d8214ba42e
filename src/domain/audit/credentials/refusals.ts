import type { LogFact, Snapshot } from '../../snapshot/index.ts'
import { isWhole } from '../../snapshot/index.ts'
import { keyOf } from '../joins.ts'

/** A line in which ARC says that GitHub refused it for want of calls. */
export interface Refusal {
  readonly line: string
  readonly log: LogFact
}

const refused = /API rate limit exceeded for user ID/
/** The listener asks for its next message only with a session: what was refused before that is over. */
const served = /Getting next message/
/** Any answer by which a listener loses its session. */
const anyRefusal =
  /API rate limit exceeded|\b40[13] (?:Unauthorized|Forbidden)|StatusCode 40[13]|Bad credentials|Application returned an error/
const setOfLine = /"autoscalingrunnerset": \{"name":"([^"]{1,253})","namespace":"([^"]{1,253})"\}/
const lineCharsMax = 300

/** The newest refusal of each scale set that nothing later contradicts, by the set's `namespace/name`. */
export function refusalsOf({ cluster }: Snapshot): ReadonlyMap<string, Refusal> {
  const setOfListener = new Map(
    cluster.listeners.items.map((listener) => [keyOf(listener), keyOf(listener.scaleSet)]),
  )
  const withListener = new Set(setOfListener.values())
  const found = new Map<string, Refusal>()
  for (const log of cluster.logs.items) {
    const set = log.role === 'listener' ? setOfListener.get(keyOf(log.pod)) : undefined
    const line = set === undefined ? undefined : lastRefusal(log)
    if (set !== undefined && line !== undefined) found.set(set, { line: line.slice(0, lineCharsMax), log })
    if (log.role === 'controller' && isWhole(cluster.listeners)) addNeverBorn(log, withListener, found)
  }
  return found
}

/** The newest line that shows a session; -1: there is none, or a refusal came after it. */
export function sessionAt(lines: readonly string[]): { readonly at: number; readonly line: string } {
  const at = lines.findLastIndex((line) => served.test(line))
  const isOver = lines.slice(at + 1).some((line) => anyRefusal.test(line))
  return at === -1 || isOver ? { at: -1, line: '' } : { at, line: lines[at] ?? '' }
}

function lastRefusal({ lines }: LogFact): string | undefined {
  const at = lines.findLastIndex((line) => refused.test(line))
  return at > lines.findLastIndex((line) => served.test(line)) ? lines[at] : undefined
}

/** A set that never got a listener is named by the controller only; with one, the listener's own log is newer. */
function addNeverBorn(log: LogFact, withListener: ReadonlySet<string>, found: Map<string, Refusal>): void {
  for (const line of log.lines) {
    const [, name, namespace] = refused.test(line) ? (setOfLine.exec(line) ?? []) : []
    if (name === undefined || namespace === undefined) continue
    const set = keyOf({ namespace, name })
    if (!withListener.has(set)) found.set(set, { line: line.slice(0, lineCharsMax), log })
  }
}
