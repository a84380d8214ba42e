import type { FindingClass } from '../audit.ts'

const unrelated = 'It is no failure of the application, nor of caches and storage services.'

export const hostFileTable: FindingClass = {
  name: 'host-file-table-pressure',
  entry: 'E7',
  title: 'The file table of a whole node is nearly full (ENFILE)',
  mustNotConclude: [
    unrelated,
    'EMFILE is another thing: the limit of one process, not of the node.',
    'More runners on the node make it worse: capacity is not to be raised blindly.',
  ],
  page: 'file-table.md',
}

export const processFileTable: FindingClass = {
  name: 'process-file-table',
  entry: 'E7',
  title: 'A process reached its own limit of open files (EMFILE)',
  mustNotConclude: [
    'The node is not at its limit: this is the limit of one process.',
    'It is proven by nothing but a log, which the job writes.',
  ],
  page: 'file-table.md',
}

export const abortedFinalization: FindingClass = {
  name: 'listener-aborted-finalization',
  entry: 'E7',
  title: "A job's steps are all complete, the job is open, and its runner is gone",
  mustNotConclude: [
    unrelated,
    'The job did not hang: its steps are done, and only the report of its end is missing.',
    'Nothing may be deleted before the evidence is kept: events, finalizers and the file table of the node.',
  ],
  page: 'file-table.md',
}
