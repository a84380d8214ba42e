import type { FindingClass } from '../audit/audit.ts'

const entry = 'E12'
const page = 'workdirs.md'

/** Notes that hold for every kind of contamination. */
const platformOwned = [
  'The repository is not at fault: checkout fails before any of its code runs, so no clean-up step in its workflow can help.',
  'The folder is scratch, but only while no job runs there: look at owners and processes again right before anything is removed.',
]

export const singleRepo: FindingClass = {
  name: 'single-repo-candidate',
  entry,
  title: "One repository's folder cannot be emptied by the runner",
  mustNotConclude: [
    ...platformOwned,
    'Write bits that are restored only unlock the folder: what made it so will do it again.',
  ],
  page,
}

export const multiRepo: FindingClass = {
  name: 'multi-repo-contaminated',
  entry,
  title: 'Folders of several repositories cannot be emptied by the runner',
  mustNotConclude: [
    ...platformOwned,
    'These are not several small repairs: the host is replaced or looked at by a person, and not salvaged folder by folder.',
  ],
  page,
}

export const drift: FindingClass = {
  name: 'ownership-drift-residual',
  entry,
  title: 'Entries of other accounts are left, and do not keep the runner from removing them',
  mustNotConclude: [
    'Checkout does not fail by these alone: an entry is removed by the right to write its directory.',
    'Something on this host writes as another account, such as a container job: it may leave worse.',
  ],
  page,
}

export const staleLock: FindingClass = {
  name: 'stale-git-lock',
  entry,
  title: 'A lock of git outlived the process that made it',
  mustNotConclude: [
    'actions/checkout removes index.lock and shallow.lock of the checkout itself: only other locks, or locks of submodules, make it fail.',
    'A lock says nothing about the objects of that clone: the job that left it was interrupted.',
  ],
  page,
}

export const lowSpace: FindingClass = {
  name: 'work-folder-low-space',
  entry,
  title: 'The file system of the work folder is almost full',
  mustNotConclude: ['The repository whose job fails first is not the one that filled the disk.'],
  page,
}

export const unreachableHost = 'unreachable-host'

export const workdirClasses = [singleRepo, multiRepo, drift, staleLock, lowSpace]
