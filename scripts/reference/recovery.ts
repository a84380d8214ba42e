import { leaveReasons, rules } from '../../src/domain/recovery/index.ts'
import { combinations } from '../../test/support/recovery-combinations.ts'
import { page, table } from './markdown.ts'
import { type MatrixRow, matrixOf } from './recovery-matrix.ts'

/** docs/reference/recovery.md */
export function recoveryPage(): string {
  return page(
    'Recovery',
    intro,
    '## Rules\n\nAsked in this order; the first that holds decides.',
    table(['rule', 'about', 'when', 'facts, and how old at most', 'acts without'], rules.map(ruleRow)),
    '## Reasons to leave a subject alone\n\nAsked after all rules.',
    table(
      ['reason', 'about', 'when'],
      leaveReasons.map(({ name, on, why }) => [`\`${name}\``, on, why]),
    ),
    `## Every combination\n\n${matrixIntro()}`,
    ...(['job', 'attempt', 'runner'] as const).flatMap(matrixParts),
  )
}

const intro = `Recovery is one pure function over what ledger, host and forge say of one subject
([design](../design/recovery.md)). A rule whose facts are unknown or too old reads them first; nothing is done on a fact that
cannot be read. What a rule does without, and why, stands with it.`

function matrixIntro(): string {
  const count = [...combinations()].length.toLocaleString('en-US')
  return `All ${count} combinations of the axes below, made by calling the function; values are in one row only where everything
behind them is equal. *any* is every value of the axis. \`src/domain/recovery/enumeration.test.ts\` holds that none is without a
decision or a named reason, and that none ends, stops or removes anything on a fact that is unknown or stale.`
}

function ruleRow({ name, on, why, needs, without }: (typeof rules)[number]): readonly string[] {
  const facts = Object.entries(needs).map(([fact, ageMs]) => `${fact} ${ageMs / 1_000} s`)
  const spared = Object.entries(without).map(([fact, reason]) => `${fact}: ${reason}`)
  return [`\`${name}\``, on, why, facts.join(', ') || 'none', spared.join('; ')]
}

function matrixParts(kind: 'job' | 'attempt' | 'runner'): readonly string[] {
  const rows = matrixOf(kind)
  const all = (axis: 'hosted' | 'forgeJob' | 'forgeRunner') => new Set(rows.flatMap((row) => row[axis])).size
  const cell = (row: MatrixRow, axis: 'hosted' | 'forgeJob' | 'forgeRunner') =>
    row[axis].length === all(axis) ? 'any' : row[axis].join(' / ')
  const groups = Map.groupBy(rows, ({ situations }) => situations.join('\n'))
  return [
    `### Subject: ${kind}`,
    ...[...groups.values()].flatMap((group, index) => [
      `#### ${kind[0]?.toUpperCase()}${index + 1}. ${titleOf(group)}\n\n${situationsOf(group)}`,
      table(
        ['host', "forge's job", "forge's runner", 'decision'],
        group.map((row) => [
          cell(row, 'hosted'),
          cell(row, 'forgeJob'),
          cell(row, 'forgeRunner'),
          row.decision,
        ]),
      ),
    ]),
  ]
}

/** The rules and reasons that decide in these situations. */
function titleOf(group: readonly MatrixRow[]): string {
  const names = group.map(({ decision }) => decision.replace(/^leave: /, '').replace(/:.*$/, ''))
  return [...new Set(names)].join(', ')
}

function situationsOf([row]: readonly MatrixRow[]): string {
  const { situations } = row as MatrixRow
  if (situations.length <= 4) return situations.map((each) => `- ${each}`).join('\n')
  const lines = situations.map((each) => `- ${each}`).join('\n')
  return `<details><summary>${situations.length} situations, such as: ${situations[0]}</summary>\n\n${lines}\n\n</details>`
}
