import type { Finding, NextAction } from '../finding.ts'
import { someOf } from '../judging.ts'
import { blockerOf } from './blockers.ts'

/** The findings of one report: no next action raises capacity while another of them stands against it. */
export function withheldRaises(findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => {
    const { raises, ...action } = finding.nextAllowedAction
    if (raises === undefined) return finding
    const against = findings.filter(
      (each) => each !== finding && blockerOf(each.class, { kind: raises }) !== null,
    )
    return { ...finding, nextAllowedAction: against.length === 0 ? action : closeFirst(against) }
  })
}

function closeFirst(against: readonly Finding[]): NextAction {
  const names = against.map(({ class: name, subject }) => `${name} (${subject.kind} ${subject.name})`)
  return {
    kind: 'person',
    text: `Nothing is raised while other findings are open: ${someOf(names)}. Close these first, and judge again.`,
    command: null,
  }
}
