import { quantityText } from '../../quantity.ts'
import { isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { AuditTable } from '../finding.ts'
import { statedAmounts } from './rules/amounts.ts'
import { amountIn, livePods } from './rules/live.ts'
import { runnersIn } from './runners.ts'

/** The amounts of the file next to those of live job pods. */
export function amountTable(input: AuditInput): AuditTable {
  const live = livePods(input)
  const none = isWhole(input.snapshot.cluster.pods) ? 'no pod' : 'not known'
  const runners = input.gitlabConfig ? runnersIn(input.gitlabConfig) : []
  return {
    title: 'Requests and limits of job pods',
    columns: ['runner', 'key', 'file', 'live'],
    rows: runners.flatMap((runner) => {
      const pods = runner.kubernetes === null ? [] : live.of(runner)
      return (runner.kubernetes === null ? [] : statedAmounts(runner.kubernetes)).map((stated) => {
        const amounts = pods.flatMap(({ containers }) =>
          containers.filter(({ name }) => name === stated.of).map((found) => amountIn(found, stated)),
        )
        const texts = amounts.map((amount) =>
          amount === null ? 'none' : quantityText(stated.resource, amount),
        )
        return [runner.title, stated.key, stated.text, [...new Set(texts)].join(', ') || none]
      })
    }),
  }
}
