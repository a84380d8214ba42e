import type { FindingClass } from '../audit.ts'

export const fairnessContention: FindingClass = {
  name: 'shared-label-fairness-contention',
  entry: 'E4',
  title: 'Several repositories hold a label, others wait, and no policy says who goes first',
  mustNotConclude: [
    'Contention is not exhaustion: it says nothing about cpu, memory or scratch storage of the cluster.',
    'Numbers of slots in two sets are neither a cap for an owner nor a priority.',
    'Never raise maxRunners, or a cap of one repository, as the first answer.',
  ],
  page: 'shared-labels.md',
}

export const repositoryStarved: FindingClass = {
  name: 'repository-starved',
  entry: 'section 6',
  title: 'A repository waits while later jobs of others get runners',
  mustNotConclude: [
    'The label is not short of runners as such: others got some meanwhile.',
    'The forge promises no order between repositories: nothing needs to be broken.',
  ],
  page: 'shared-labels.md',
}
