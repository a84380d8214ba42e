import { endRules } from './ends.ts'
import { machineRules } from './machine.ts'
import { memoryRules } from './memory.ts'
import type { JobFailureRule } from './rule.ts'
import { stepRules } from './steps.ts'
import { trustRules } from './trust.ts'

export type { JobFailureRule } from './rule.ts'

/** Rules of one kind, and why they stand at this place of the table. */
export interface JobFailureGroup {
  readonly title: string
  readonly why: string
  readonly rules: readonly JobFailureRule[]
}

/** The rules in order: the first that fires gives the class. */
export const jobFailureGroups: readonly JobFailureGroup[] = [
  {
    title: 'Ended from outside',
    why: 'No step failed by itself: its runner went away, its time was over, or somebody cancelled it.',
    rules: endRules,
  },
  {
    title: 'Limits of the machine',
    why: 'Causes before consequences: a program that cannot write or open a file fails in its own words.',
    rules: machineRules,
  },
  {
    title: 'Memory',
    why: 'A killed program names no cause; the counts of the kernel do.',
    rules: memoryRules,
  },
  {
    title: 'Trust',
    why: 'After the machine, which makes such errors too when files cannot be opened.',
    rules: trustRules,
  },
  {
    title: 'The step that failed',
    why: 'Nothing above explains it: then the step itself does.',
    rules: stepRules,
  },
]

/** The row for a failure that no rule explains. */
export const notExplained: Omit<JobFailureRule, 'fires'> = {
  name: 'nothing says why',
  gives: ['unknown'],
  means: 'The job failed, and neither the forge nor its log names a step or a cause.',
  needs: 'None of the rules above holds.',
  mustNotConclude: 'Anything, also not that the tests failed.',
  nextSteps: ['Read what could not be read, below: the job at the forge, its log, the record of its runner.'],
}
