import type { AuditChanges, Finding } from '../../../domain/audit/index.ts'
import type { Context } from '../../context.ts'
import { fitted } from '../fitted.ts'
import { subjectText } from './page.ts'

/** One line for each finding that came, changed or went between two runs. */
export function changeLines(changes: AuditChanges, at: string, { colors, width }: Context): string[] {
  const time = at.slice(11, 19)
  const lines = (findings: readonly Finding[], word: string, paint: (text: string) => string): string[] =>
    findings.flatMap((finding) =>
      fitted(
        `${finding.class} ${subjectText(finding.subject)} (${finding.confidence}): ${finding.summary}`,
        `${time}  ${paint(word)} `,
        4,
        width,
      ),
    )
  return [
    ...lines(changes.appeared, 'new', colors.red),
    ...lines(changes.changed, 'changed', colors.yellow),
    ...lines(changes.lost, 'not judged any more', colors.yellow),
    ...lines(changes.gone, 'gone', colors.green),
  ]
}
