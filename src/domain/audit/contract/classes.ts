import type { FindingClass } from '../audit.ts'

const entry = 'section 6'
const page = 'contract.md'

export const declaredLiveDrift: FindingClass = {
  name: 'declared-live-drift',
  entry,
  title: 'A scale set is not as its lane declares it',
  mustNotConclude: [
    'The declaration is not proven right by being written: the live value may be the one that was meant.',
    'A live change by hand is undone by the next apply, and is no repair.',
  ],
  page,
}

export const declaredSetMissing: FindingClass = {
  name: 'declared-set-missing',
  entry,
  title: 'A lane names a scale set that is not there',
  mustNotConclude: ['Jobs that wait for its label do not wait for capacity: nothing can serve them.'],
  page,
}

export const undeclaredSet: FindingClass = {
  name: 'undeclared-set',
  entry,
  title: 'A scale set belongs to no lane of the contract',
  mustNotConclude: ['It may be wanted: the contract is silent about it, and nothing of it was compared.'],
  page,
}

export const runnerBelowMinimum: FindingClass = {
  name: 'runner-below-minimum',
  entry,
  title: 'Runners are older than the contract allows',
  mustNotConclude: [
    'Runners that work today say nothing about tomorrow: GitHub refuses old ones without warning here.',
  ],
  page,
}

export const contractClasses = [declaredLiveDrift, declaredSetMissing, undeclaredSet, runnerBelowMinimum]
