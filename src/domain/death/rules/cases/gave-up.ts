import { aHostSamples, aJobAtEnd, endedAt } from '../../testing.ts'
import type { RuleCase } from './case.ts'

const minuteAgo = endedAt - 60_000
const stamp = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`

/** For tests: the forge failed the job a minute before the runner ended. */
export const failedBefore = aJobAtEnd({ forgeStatus: 'completed', conclusion: 'failure', heardAt: minuteAgo })
/** For tests: what GitHub's runner writes of a job, and of its end a moment after the forge has it. */
export const runningLine = `${stamp(endedAt - 500_000)}: Running job: build\n`
export const failedLine = `${stamp(minuteAgo + 1_000)}: Job build completed with result: Failed\n`
export const wokenLine = `${stamp(endedAt - 2_000)}: Job build completed with result: Failed\n`

/** For tests: nothing of it used the processor. */
export const stillRing = aHostSamples({}, { cpuMs: 7_000 })
const hungSince = (since: number) => ({
  ...stillRing,
  samples: stillRing.samples.map((each) => ({ ...each, cpuMs: Math.min(each.at, since) })),
})

export const gaveUpCases: readonly RuleCase[] = [
  {
    rule: 'the forge gave it up while it lived',
    fires: {
      ending: { signal: 'SIGKILL', tail: runningLine, stopRequestedBy: 'its job is over' },
      job: failedBefore,
      ring: stillRing,
    },
    class: 'forge-gave-up',
    confidence: 'proven',
    not: {
      ending: { signal: 'SIGKILL', tail: runningLine + failedLine, stopRequestedBy: 'its job is over' },
      job: failedBefore,
    },
    otherwise: 'terminated',
    impostor: {
      how: 'it reported the failure itself, hung just after that, and what it wrote last was not read',
      facts: {
        ending: { signal: 'SIGKILL', tail: runningLine, stopRequestedBy: 'its job is over' },
        job: failedBefore,
        ring: hungSince(minuteAgo),
      },
      class: 'forge-gave-up',
    },
  },
]
