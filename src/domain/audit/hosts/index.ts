import type { Audit } from '../audit.ts'
import { unjudgedBy } from '../judging.ts'
import { bootstrapLoop, hostClasses } from './classes.ts'
import { hostFailures } from './failures.ts'
import { judgeFixes } from './fixes.ts'
import { loopsOf } from './loops.ts'

/** Hosts that do not come up, and fixes that are not deployed. */
export const hosts: Audit = {
  name: 'hosts',
  title: 'Hosts that fail to come up, and fixes that are not deployed',
  classes: hostClasses,
  judge(input) {
    const { machines, events } = input.snapshot.cluster
    const fixes = judgeFixes(input)
    return {
      findings: [...loopsOf(hostFailures(input.snapshot), input), ...fixes.findings],
      unjudged: [
        ...unjudgedBy([bootstrapLoop], machines),
        ...unjudgedBy([bootstrapLoop], events),
        ...fixes.unjudged,
      ],
      tables: [],
    }
  },
}
