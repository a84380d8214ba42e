import { parseQuantity } from '../../quantity.ts'
import { type Amounts, isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'

/** A runner whose pod the API server refused for a quota, by the controller's log or by its own object. */
export interface QuotaRefusal {
  readonly namespace: string
  readonly quota: string
  readonly runner: string
  readonly requested: Amounts
  readonly message: string
}

/** A line of a log is read up to here; the controllers' are shorter. */
const lineCharsMax = 4_000
const refusal =
  /pods \\?"([^"\\]{1,253})\\?" is forbidden: (exceeded quota: ([a-z0-9.-]{1,253}), requested: (.{1,1000}?), used: .{1,2000}?, limited: [^"]{1,2000})/
const inNamespace = /"namespace": ?"([a-z0-9-]{1,63})"/

/** Refusals of runners that still have no pod; of each runner the newest. Rests on all pods being known. */
export function quotaRefusals({ snapshot, joins }: AuditInput): readonly QuotaRefusal[] {
  const { logs, runners, pods } = snapshot.cluster
  if (!isWhole(pods)) return []
  const newest = new Map<string, QuotaRefusal>()
  const note = (found: QuotaRefusal | null): void => {
    const key = found === null ? '' : `${found.namespace}/${found.runner}`
    if (found !== null && joins.runnerByKey.has(key) && !joins.podByKey.has(key)) newest.set(key, found)
  }
  for (const { role, lines } of logs.items) {
    if (role === 'controller') for (const line of lines) note(refusalIn(line, null))
  }
  for (const { namespace, message } of runners.items)
    if (message !== null) note(refusalIn(message, namespace))
  return [...newest.values()]
}

function refusalIn(text: string, knownNamespace: string | null): QuotaRefusal | null {
  const line = text.slice(0, lineCharsMax)
  if (!line.includes('exceeded quota')) return null
  const [, runner, message, quota, requested] = refusal.exec(line) ?? []
  const namespace = knownNamespace ?? inNamespace.exec(line)?.[1]
  if (runner === undefined || quota === undefined || namespace === undefined) return null
  return { namespace, quota, runner, requested: amountsOf(requested ?? ''), message: message ?? '' }
}

/** `pods=1,limits.memory=8Gi` as amounts. */
function amountsOf(text: string): Amounts {
  const pairs = text.split(',').map((pair) => pair.trim().split('=', 2))
  return Object.fromEntries(
    pairs.flatMap(([name = '', amount]) => {
      const parsed = parseQuantity(amount)
      return parsed === null ? [] : [[name, parsed]]
    }),
  )
}
