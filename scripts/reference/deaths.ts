import { deathWords } from '../../src/api/text/death.ts'
import {
  type Bearing,
  bearings,
  type DeathClass,
  type DeathRule,
  deathClasses,
  nothingFits,
  type RuleGroup,
  ruleGroups,
} from '../../src/domain/death/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/deaths.md */
export function deathsPage(): string {
  return page(
    'How runners end',
    intro,
    `## Classes\n\n${table(['class', 'in words', 'its job', 'given by'], deathClasses.map(classRow))}`,
    losing,
    order,
    ...ruleGroups.map((group, index) => section(`${index + 1}. ${group.title}`, group.why, group.rules)),
    section(`${ruleGroups.length + 1}. Otherwise`, 'No rule above fired.', [nothingFits]),
  )
}

const intro = `Every runner that ends gets one death record, with a verdict: a class, the rule that gave it, how sure it is,
because of what, what is ruled out and how that is known, what stays unknown, and what to do next. \`holdfast job\`
shows it with the record.

How sure a verdict is:

- **proven**: somebody says so who cannot lie about it (the kernel, the kubelet, the cluster, the forge, the agent on the node, or Holdfast about its own acts), and nothing else can have left the same evidence. Each rule that may prove says below why; its nearest impostor is a test. Of a runner that is a process of this machine only the forge's word proves anything: what else is known of it lies where its job can write.
- **likely**: it fits what is known. A log alone gives no more than this, since the job can write to it; the verdict says that the log says so. Where observations contradict each other, it is likely at most, and the verdict shows both sides.
- **unknown**: no trustworthy source says so.

Observations from outside outrank a runner's own output. A record is sealed with the evidence of that time; a later
read judges it again with newer evidence, such as the forge's conclusion, and shows both verdicts where they differ.`

const losing = `*Its job*: what becomes of a job that the forge ended with failure or cancelled, where the class is proven or likely. \`end\`:
it is lost where the runner had ended by then. \`stop\`: it is lost where the runner had been asked to stop by then.
\`given up\`: it is lost. A dash: the forge's cancelled stands; a failure is lost only where the runner had ended by then, and
not by a clean end. The forge's conclusion stays next to \`lost\`; success always stands.`

const order = `## Rules

In this order. Of the rules that fire, the first that proves gives the class; where none does, the first. So evidence that
is lost never makes a verdict surer.`

function classRow(name: DeathClass): string[] {
  const rules = [...ruleGroups.flatMap((group: RuleGroup) => group.rules), nothingFits]
  const givers = rules.filter(({ gives }) => gives.includes(name))
  return [
    `\`${name}\``,
    deathWords[name],
    bearingWords[bearings[name]],
    givers.map((rule) => rule.name).join('; '),
  ]
}

const bearingWords: Readonly<Record<Bearing, string>> = {
  none: '-',
  end: 'end',
  disruption: 'stop',
  forge: 'given up',
}

type Row = Omit<DeathRule, 'fires'>

function section(title: string, why: string, rules: readonly Row[]): string {
  return [`### ${title}`, why, ...rules.map(ruleText)].join('\n\n')
}

function ruleText({ name, gives, means, needs, mustNotConclude, nextSteps, proof }: Row): string {
  return [
    `#### ${name}`,
    [
      `- gives: ${gives.map((each) => `\`${each}\``).join(', ')}`,
      `- means: ${means}`,
      `- evidence: ${needs}`,
      `- may prove: ${proof === undefined ? 'no, it is likely at most.' : proof.argument}`,
      `- do not conclude: ${mustNotConclude}`,
      `- what to do: ${nextSteps.length === 0 ? 'nothing.' : nextSteps.join(' ')}`,
    ].join('\n'),
  ].join('\n\n')
}
