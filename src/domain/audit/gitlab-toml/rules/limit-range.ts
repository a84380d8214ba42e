import { parseQuantity, quantityText } from '../../../quantity.ts'
import type { LimitRangeFact } from '../../../snapshot/index.ts'
import type { AuditInput } from '../../audit.ts'
import { evidenceOf } from '../../judging.ts'
import { limitRangeConflict } from '../classes.ts'
import { entryOf, wordsIn } from '../document.ts'
import { overwriteKey } from '../keys/resources.ts'
import type { Problem } from '../problem.ts'
import type { TomlRunner } from '../runners.ts'
import { type StatedAmount, statedAmounts } from './amounts.ts'

type Range = LimitRangeFact['limits'][number]

/** Amounts outside of what the LimitRanges of the runner's namespace allow a container or pod. */
export function limitRangeConflicts(runner: TomlRunner, input: AuditInput): readonly Problem[] {
  const { kubernetes, namespace } = runner
  if (kubernetes === null || namespace === null) return []
  const ranges = input.snapshot.cluster.limitRanges.items.filter((range) => range.namespace === namespace)
  const maxima = statedAmounts(kubernetes).map((stated) => overwriteOf(stated, runner))
  return [...statedAmounts(kubernetes), ...maxima.flatMap((each) => each ?? [])].flatMap((stated) =>
    ranges.flatMap((range) =>
      range.limits.flatMap((limits) => conflictOf(stated, limits, range, input) ?? []),
    ),
  )
}

/** The most that a job may ask for, as an amount of its own. */
function overwriteOf(stated: StatedAmount, { kubernetes }: TomlRunner): StatedAmount | null {
  const key = overwriteKey(stated)
  const entry = kubernetes === null ? null : entryOf(kubernetes, key)
  const text = kubernetes === null ? null : wordsIn(kubernetes, key)
  const amount = parseQuantity(text)
  return entry === null || text === null || amount === null ? null : { ...stated, key, entry, text, amount }
}

function conflictOf(
  { key, of, resource, text, amount, entry }: StatedAmount,
  { type, max, min }: Range,
  range: LimitRangeFact,
  { snapshot }: AuditInput,
): Problem | null {
  if (type !== (of === 'pod' ? 'Pod' : 'Container')) return null
  const [most, least] = [max[resource], min[resource]]
  const isAbove = most !== undefined && amount > most
  const isBelow = least !== undefined && amount < least
  if (!isAbove && !isBelow) return null
  const bound = isAbove
    ? `the most is ${quantityText(resource, most)}`
    : `the least is ${quantityText(resource, least ?? 0)}`
  const isAsked = key.endsWith('_overwrite_max_allowed')
  return {
    class: limitRangeConflict,
    severity: isAsked ? 'notice' : 'critical',
    line: entry.line,
    path: `runners.kubernetes.${key}`,
    summary: `${key} is ${text}, and LimitRange ${range.namespace}/${range.name} refuses it: ${bound}. ${isAsked ? 'A job that asks for it gets no pod' : 'No job gets a pod'}.`,
    fix: 'Bring the file and the LimitRange together.',
    evidence: [
      evidenceOf(
        snapshot.cluster.limitRanges,
        `LimitRange ${range.namespace}/${range.name}: ${bound} of ${resource} for a ${type.toLowerCase()}`,
      ),
    ],
  }
}
