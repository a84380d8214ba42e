import type { FindingClass } from '../audit.ts'

const entry = 'section 6'
const page = 'hosts.md'

export const bootstrapLoop: FindingClass = {
  name: 'bootstrap-loop',
  entry,
  title: 'Hosts fail again and again with the same message',
  mustNotConclude: [
    'These are not many incidents: the same message on several hosts has one cause.',
    'A node that is Ready proves nothing: its host may have joined before, and fail at every bootstrap since.',
    'Jobs that were sent there and never registered are not lost by the forge.',
  ],
  page,
}

export const fixNotDeployed: FindingClass = {
  name: 'fix-not-deployed',
  entry,
  title: 'A fix exists, and what is deployed predates it',
  mustNotConclude: [
    'A merged fix is not a deployed fix: only the image that runs counts.',
    'The failure may have a second cause: the fix is known for this text, not for this fleet.',
  ],
  page,
}

export const hostClasses = [bootstrapLoop, fixNotDeployed]
