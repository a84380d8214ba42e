import type { ApiFinding } from './audit.ts'
import type { Situation } from './situation.ts'

/** Something else that must hold; null: it does. */
export interface Result {
  readonly name: string
  readonly problem: string | null
}

/** A situation, and what was found in its namespace. */
export interface Row {
  readonly situation: Pick<Situation, 'name' | 'how' | 'classes'>
  readonly found: readonly string[]
  readonly missed: readonly string[]
  readonly falseAlarms: readonly string[]
  /** It could not be made. */
  readonly problem: string | null
}

/** Compares what must be found in a situation with the findings about its namespace, or about what has its name. */
export function rowOf(
  situation: Pick<Situation, 'name' | 'how' | 'classes' | 'accepted'>,
  namespace: string,
  findings: readonly ApiFinding[],
): Row {
  const { classes, accepted = [] } = situation
  const found = [
    ...new Set(findings.filter((each) => isAbout(each, namespace)).map((each) => each.class)),
  ].sort()
  return {
    situation,
    found,
    missed: classes.filter((each) => !found.includes(each)),
    falseAlarms: found.filter((each) => !classes.includes(each) && !accepted.includes(each)),
    problem: null,
  }
}

/** A label, a credential or a quota is named after the set, which has the name of the namespace. */
export function isAbout({ subject }: ApiFinding, namespace: string): boolean {
  return subject.namespace === namespace || subject.name === namespace
}

export function isPassed({ missed, falseAlarms, problem }: Row): boolean {
  return missed.length === 0 && falseAlarms.length === 0 && problem === null
}

/** The table at the end: what was made, what had to be found, and what was. */
export function tableLines(rows: readonly Row[]): string[] {
  const words = (classes: readonly string[]): string => (classes.length === 0 ? '-' : classes.join(', '))
  const cells = rows.map(({ situation, found, missed, falseAlarms, problem }) => [
    situation.name,
    words(situation.classes),
    problem === null ? words(found) : 'not made',
    words(missed),
    words(falseAlarms),
  ])
  const all = [['situation', 'expected', 'found', 'missed', 'false alarms'], ...cells]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
