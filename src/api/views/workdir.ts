import { outcomeOf, severities } from '../../domain/audit/index.ts'
import type { Instant } from '../../domain/time.ts'
import {
  type HostJudgement,
  nextStep,
  placeOf,
  workdirClasses,
  workFolderOf,
} from '../../domain/workdir/index.ts'
import type { ApiFinding } from '../contracts/audit.ts'
import type { WorkdirReconcile, WorkdirReport } from '../contracts/workdir.ts'
import { classifiedViews } from './audit.ts'
import { safeText } from './safe.ts'
import { iso } from './time.ts'

const page = 'docs/workdirs.md'

/** Judgements of hosts as programs read them. */
export function workdirReport(judged: readonly HostJudgement[], now: Instant): WorkdirReport {
  const findings = judged.flatMap((each) => each.findings)
  const unjudged = judged.flatMap((each) => each.unjudged)
  return {
    version: 1,
    at: iso(now),
    outcome: outcomeOf({ findings, unjudged }),
    hosts: judged.map(hostView),
    findings: classifiedViews(findings, workdirClasses).map(safeFinding).sort(bySeverity),
    unjudged: unjudged.map((each) => ({ ...each, why: safeText(each.why) })),
  }
}

function hostView({ host, verdict, folders, processes }: HostJudgement): WorkdirReport['hosts'][number] {
  return {
    name: host.name,
    place: placeOf(host),
    workFolder: workFolderOf(host),
    verdict,
    folders: folders.map((folder) => ({ ...folder, name: safeText(folder.name) })),
    processes: processes.map(({ pid, role, place }) => ({
      pid,
      role,
      place: place === 'here' ? place : 'unknown',
    })),
  }
}

/** A job names its files as it likes: with a secret, too. */
function safeFinding(finding: ApiFinding): ApiFinding {
  const { subject, summary, evidence, nextAllowedAction } = finding
  return {
    ...finding,
    page,
    subject: { ...subject, name: safeText(subject.name) },
    summary: safeText(summary),
    evidence: evidence.map((each) => ({ ...each, text: safeText(each.text) })),
    nextAllowedAction: { ...nextAllowedAction, text: safeText(nextAllowedAction.text) },
  }
}

function bySeverity(a: ApiFinding, b: ApiFinding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity)
}

/** The next step on each host; `rest` ends each command, such as the contract file. */
export function workdirReconcile(
  judged: readonly HostJudgement[],
  rest: string,
  now: Instant,
): WorkdirReconcile {
  return {
    version: 1,
    at: iso(now),
    hosts: judged.map((each) => {
      const { kind, why, command } = nextStep(each)
      const { name, place, verdict, processes } = hostView(each)
      return {
        name,
        place,
        verdict,
        isDrained: verdict !== 'unreachable' && processes.every(({ role }) => role !== 'listener'),
        next: { kind, why: safeText(why), command: command && `holdfast ${command}${rest}` },
      }
    }),
  }
}
