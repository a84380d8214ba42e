import { aJobAtEnd } from '../../testing.ts'
import { exit, type RuleCase } from './case.ts'
import { clusterCases } from './cluster.ts'
import { gaveUpCases } from './gave-up.ts'
import { jobDeadlineCases } from './job-deadline.ts'
import { exitCodeCases, logCases, signalCases } from './log.ts'
import { memoryCases } from './memory.ts'
import { startCases, unstartedCases } from './starts.ts'

const done = { forgeStatus: 'completed', conclusion: 'success' }
/** For tests: one for each rule. */
export const ruleCases: readonly RuleCase[] = [
  {
    rule: 'nothing was left',
    fires: { ending: null },
    class: 'vanished',
    confidence: 'unknown',
    not: {},
    otherwise: 'unknown',
  },
  {
    rule: 'the forge says that its job succeeded',
    fires: { ending: exit(0), job: aJobAtEnd(done) },
    class: 'clean',
    confidence: 'proven',
    not: { ending: exit(1), job: aJobAtEnd(done) },
    otherwise: 'failed',
    impostor: {
      how: 'it was asked to stop, reported its job as cancelled and ended with 0',
      facts: { ending: exit(0), job: aJobAtEnd({ ...done, conclusion: 'cancelled' }) },
      class: 'clean',
    },
  },
  ...[...memoryCases, ...clusterCases, ...startCases, ...jobDeadlineCases, ...gaveUpCases, ...signalCases],
  ...[...unstartedCases, ...logCases, ...exitCodeCases],
]
