import { quote } from '../../death/index.ts'
import { percent } from '../../format.ts'
import { likely } from '../verdict.ts'
import type { JobFailureRule } from './rule.ts'

/** A file table that is filled less than this was not full when the job failed. */
const fullShare = 0.9

/** Rules for a step that met a limit of the machine, by what it wrote. */
export const machineRules: readonly JobFailureRule[] = [
  {
    name: 'the disk was full for it',
    gives: ['disk-full'],
    means: 'A program of the step could not write: the disk, its quota or its inodes were used up.',
    needs: 'ENOSPC or its words in what the failed step wrote.',
    mustNotConclude: "Which disk: the node's, a volume's or that of a container inside the job.",
    nextSteps: [
      'See headroom of the nodes and the ephemeral-storage limit of the pool; raise the limit there, not in the repository.',
      'Let the job remove what it does not need before the step that failed.',
    ],
    fires: ({ signs }) =>
      signs.diskFull === undefined ? null : likely('disk-full', quote(signs, 'diskFull')),
  },
  {
    name: 'the file table of the node was full for it',
    gives: ['host-file-table'],
    means: 'The kernel of the node could open no more files for anybody (ENFILE): a limit of the host.',
    needs:
      'ENFILE or its words in what the failed step wrote, and no agent that saw the table far from full.',
    mustNotConclude: 'A failure of the application. EMFILE is another limit, that of one process.',
    nextSteps: [
      'Read /proc/sys/fs/file-nr and file-max on the node, and which pods share it, before anything is deleted.',
      'Run it again on the same commit: a pass says that the host was short. If it repeats, let the package manager open less at once, or choose another pool.',
    ],
    fires: ({ signs, runner }) => {
      if (signs.fileTable === undefined) return null
      const share = runner?.fileTableShare ?? null
      if (share !== null && share < fullShare) return null
      const seen = share === null ? [] : [`The agent saw the file table of its node at ${percent(share)}.`]
      return likely('host-file-table', quote(signs, 'fileTable'), ...seen)
    },
  },
  {
    name: 'one of its processes had too many files open',
    gives: ['process-file-table'],
    means: 'One process reached its own limit of open files (EMFILE, ulimit -n).',
    needs: 'EMFILE or its words in what the failed step wrote.',
    mustNotConclude: 'That the node is short of anything: ENFILE would say that.',
    nextSteps: ['Look for files that are not closed, or raise the limit of open files of the container.'],
    fires: ({ signs }) =>
      signs.openFiles === undefined ? null : likely('process-file-table', quote(signs, 'openFiles')),
  },
]
