import { createColors } from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { ApiFinding, AuditReport } from '../../../api/index.ts'
import { auditPage } from './page.ts'

const look = { colors: createColors(false), width: 80 }
const at = '2026-06-01T03:00:12.000Z'

const empty: AuditReport = {
  version: 1,
  at,
  snapshot: { id: 's1', takenAt: '2026-06-01T03:00:00.000Z', cluster: 'prod', program: '0.1.0' },
  audits: ['runtime', 'pending'],
  scope: { labels: null, namespaces: null, nodes: null, runner: null },
  outcome: 'clean',
  findings: [],
  unjudged: [],
  failures: [],
  tables: [],
}

function finding(name: string, given: Partial<ApiFinding> = {}): ApiFinding {
  return {
    class: 'failed-runners-hold-slots',
    title: 'Failed runners hold slots',
    severity: 'critical',
    subject: { kind: 'scale-set', namespace: 'arc-runners', name },
    confidence: 'proven',
    summary: '3 of 3 slots are held by failed runners.',
    evidence: [{ source: 'cluster', at: '2026-06-01T03:00:00.000Z', text: 'linux-1: Failed, InvalidPod' }],
    mustNotConclude: ['More runners do not help: the next ones are refused alike.'],
    nextAllowedAction: { kind: 'read', text: 'Read why.', command: 'holdfast triage runner/linux-1' },
    page: 'docs/audits/runtime.md',
    ...given,
  }
}

describe('the page of an audit', () => {
  it('shows a finding with subject, confidence, evidence and its age, limits, next action and page', () => {
    expect(
      auditPage({ ...empty, outcome: 'findings', findings: [finding('linux')] }, look),
    ).toBe(`1 finding: 1 critical.
Facts of prod of 12 s ago, 2026-06-01T03:00:00.000Z.

critical  failed-runners-hold-slots: Failed runners hold slots
  scale-set arc-runners/linux (proven): 3 of 3 slots are held by failed runners.
    - linux-1: Failed, InvalidPod (cluster, 12 s ago)
    next: Read why.
      $ holdfast triage runner/linux-1
  careful: More runners do not help: the next ones are refused alike.
  docs/audits/runtime.md`)
  })

  it('says a class once, however many subjects have it, and names the rest', () => {
    const findings = Array.from({ length: 14 }, (_, index) => finding(`set-${index}`))
    const text = auditPage({ ...empty, outcome: 'findings', findings }, look)
    expect(text.match(/careful:/g)).toHaveLength(1)
    expect(text).toContain('scale-set arc-runners/set-2 (proven)')
    expect(text).toContain('and 11 more: scale-set arc-runners/set-3')
    expect(text).toContain('and 3 others')
  })

  it('names one missing fact once, with all classes that it keeps from being judged', () => {
    const missing = { why: 'jobs of the forge: no token was given', needs: 'give --github-jobs-json' }
    const unjudged = ['label-unreachable', 'cancelled-job-handoff'].map((name) => ({
      class: name,
      ...missing,
    }))
    expect(
      auditPage({ ...empty, outcome: 'unjudged', unjudged }, look),
    ).toBe(`Nothing found by 2 audits, and not everything could be judged.
Facts of prod of 12 s ago, 2026-06-01T03:00:00.000Z.

Could not be judged
  - label-unreachable, cancelled-job-handoff: jobs of the forge: no token was
    given
    needs give --github-jobs-json`)
  })

  it('names some of many classes that one right leaves open, and the file with all rights', () => {
    const classes = Array.from({ length: 30 }, (_, index) => `class-${index}`)
    const unjudged = classes.map((name) => ({ class: name, why: 'pods: 403', needs: 'list pods' }))
    const text = auditPage({ ...empty, outcome: 'unjudged', unjudged }, look)
    expect(text).toMatch(/class-6, class-7\s+and\s+22 more: pods: 403/)
    expect(text).toContain('deploy/audit-rbac.yaml')
  })

  it('says so where nothing is wrong', () => {
    expect(auditPage(empty, look)).toMatch(/^Nothing is wrong by 2 audits\.\n/)
  })

  it('shows the tables of an audit that was asked for alone, and not those of many', () => {
    const tables = [{ audit: 'runtime', title: 'Sets', columns: ['set', 'max'], rows: [['linux', '10']] }]
    expect(auditPage({ ...empty, tables }, look)).not.toContain('Sets')
    expect(auditPage({ ...empty, audits: ['runtime'], tables }, look)).toMatch(/Sets\nSET +MAX\nlinux +10/)
  })

  it('fits 80 columns, and shows no control characters', () => {
    const long = 'x'.repeat(300)
    const findings = [
      finding(long, {
        summary: `a \u001b[2J ${long}`,
        evidence: [{ source: 'forge', at: null, text: `${long} ${long}` }],
        nextAllowedAction: { kind: 'person', text: long, command: null },
      }),
    ]
    const tables = [6, 12].map((count) => ({
      audit: 'runtime',
      title: 'Sets',
      columns: Array.from({ length: count }, (_, index) => `a column ${index}`),
      rows: [Array.from({ length: count }, () => long)],
    }))
    const text = auditPage(
      {
        ...empty,
        outcome: 'findings',
        audits: ['runtime'],
        scope: { ...empty.scope, labels: ['linux', long] },
        findings,
        tables,
      },
      look,
    )
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    expect(text).not.toContain('\u001b')
  })

  it('breaks a long command so that it can be typed as it stands', () => {
    const command = `holdfast triage ${'--github-jobs-json jobs.json '.repeat(4)}runner/linux-1`
    const nextAllowedAction = { kind: 'read', text: 'Read.', command } as const
    const findings = [finding('linux', { nextAllowedAction })]
    const lines = auditPage({ ...empty, outcome: 'findings', findings }, look).split('\n')
    const from = lines.findIndex((line) => line.trim().startsWith('$ '))
    expect(lines[from]).toMatch(/ \\$/)
    const typed = lines
      .slice(from, from + 3)
      .join('')
      .replaceAll(/\\ +/g, '')
      .replace(/^ *\$ /, '')
    expect(typed).toBe(command)
  })
})
