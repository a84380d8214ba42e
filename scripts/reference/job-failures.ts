import { jobFailureWords } from '../../src/api/text/job-failure.ts'
import {
  type JobFailureRule,
  jobFailureClasses,
  jobFailureGroups,
  notExplained,
} from '../../src/domain/job-failure/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/job-failures.md */
export function jobFailuresPage(): string {
  const rows = [...jobFailureGroups.flatMap(({ rules }) => rules), notExplained]
  const classRows = jobFailureClasses.map((name) => {
    const givers = rows.filter(({ gives }) => gives.includes(name))
    return [`\`${name}\``, `The job ${jobFailureWords[name]}.`, givers.map((rule) => rule.name).join('; ')]
  })
  return page(
    'Why jobs fail',
    intro,
    `## Classes\n\n${table(['class', 'in words', 'given by'], classRows)}`,
    '## Rules\n\nIn this order; the first that fires gives the class.',
    ...jobFailureGroups.map(({ title, why, rules }, at) => section(`${at + 1}. ${title}`, why, rules)),
    section(`${jobFailureGroups.length + 1}. Otherwise`, 'No rule above fired.', [notExplained]),
  )
}

const intro = `A runner can end in order while its job fails: most failures are of that kind. \`holdfast explain\` gives the job a verdict of
its own next to that of its [runner](deaths.md): by the steps and annotations that the forge has, by the job's log, and by what
kernel, kubelet and agent saw of the runner. \`holdfast explain --log\` gives it from a log alone.

How sure a verdict is:

- **proven**: the forge names the step or the conclusion, the log was read and has no sign of another cause, the runner ended in order or lives, and cluster or agent counted no kill for memory.
- **likely**: it fits what is known. What only the job's own log or annotations say is never more than this, since the job writes them.
- **unknown**: nothing says why.

Evidence that is missing never makes a verdict surer.`

type Row = Omit<JobFailureRule, 'fires'>

function section(title: string, why: string, rules: readonly Row[]): string {
  return [`### ${title}`, why, ...rules.map(ruleText)].join('\n\n')
}

function ruleText({ name, gives, means, needs, mustNotConclude, nextSteps }: Row): string {
  const lines = [
    `- gives: ${gives.map((each) => `\`${each}\``).join(', ')}`,
    `- means: ${means}`,
    `- evidence: ${needs}`,
    `- do not conclude: ${mustNotConclude}`,
    `- what to do: ${nextSteps.length === 0 ? 'follow the verdict about its runner.' : nextSteps.join(' ')}`,
  ]
  return `#### ${name}\n\n${lines.join('\n')}`
}
