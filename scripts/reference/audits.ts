import {
  type Audit,
  audits,
  type FindingClass,
  raiseBlockers,
  remedies,
} from '../../src/domain/audit/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/audits.md */
export function auditsPage(): string {
  return page(
    'Audits',
    intro,
    table(
      ['audit', 'judges', 'classes'],
      audits.map(({ name, title, classes }) => [`\`${name}\``, title, String(classes.length)]),
    ),
    ...audits.map(section),
    remediesSection(),
    raisesSection(),
  )
}

const intro = `Every class of finding, as \`holdfast audit\` names it. An audit judges a snapshot and nothing else, changes nothing, and
calls something absent only where everything was read; a class that rests on a fact that could not be read is listed as
not judged, with what is needed. How to read a page of findings: [docs/audits](../audits/README.md). The shape of
\`holdfast audit --json\`: \`docs/reference/audit.schema.json\`.`

function remediesSection(): string {
  const place = '<namespace/name>'
  const places = { subject: place, namespace: '<namespace>', set: place, deployment: place }
  const rows = Object.entries(remedies).map(([name, remedy]) => [
    `[\`${name}\`](#${name})`,
    `\`${remedy.command(places)}\``,
  ])
  return ['## Remedies', remediesIntro, table(['class', 'the command that plans it'], rows)].join('\n\n')
}

const remediesIntro = `Where the facts allow it, the next allowed action of a finding is the command that plans the remedy of its class, and changes
nothing ([remedies](../remedies.md)). A finding without one says what a person does, and names no command that changes anything.`

function raisesSection(): string {
  const rows = Object.entries(raiseBlockers).map(([name, { group, why, isAnsweredByRoom }]) => [
    `[\`${name}\`](#${name})`,
    group,
    isAnsweredByRoom ? 'a higher maximum' : 'a higher maximum, more room',
    why,
  ])
  return ['## Raises of capacity', raisesIntro, table(['class', 'about', 'refuses', 'because'], rows)].join(
    '\n\n',
  )
}

const raisesIntro = `While a finding of one of these classes is open on a label, a raise of its capacity is refused
([how](../capacity.md#when-a-raise-is-refused)); while one of them could not be judged, it is not allowed.`

function section({ name, title, classes }: Audit): string {
  return [`## \`${name}\``, `${title}.`, ...classes.map(classText)].join('\n\n')
}

function classText({ name, entry, title, mustNotConclude, page: file }: FindingClass): string {
  const lines = [
    `- means: ${title}`,
    ...mustNotConclude.map((text) => `- careful: ${text}`),
    `- of the guide: ${entry}; [page](../audits/${file})`,
  ]
  return [`### \`${name}\``, lines.join('\n')].join('\n\n')
}
