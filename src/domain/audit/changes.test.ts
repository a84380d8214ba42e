import { describe, expect, it } from 'vitest'
import { changesBetween } from './changes.ts'
import type { Finding, Unjudged } from './finding.ts'
import type { AuditRun } from './run.ts'

function finding(name: string, given: Partial<Finding> = {}): Finding {
  return {
    class: 'broken',
    severity: 'warning',
    subject: { kind: 'scale-set', namespace: 'arc-runners', name },
    confidence: 'likely',
    summary: 'It is broken.',
    evidence: [],
    mustNotConclude: [],
    nextAllowedAction: { kind: 'read', text: 'Look.', command: null },
    ...given,
  }
}

function run(findings: readonly Finding[], unjudged: readonly Unjudged[] = []): AuditRun {
  return { findings, unjudged, tables: [], failures: [] }
}

describe('the changes between two runs', () => {
  it('are findings that came, that changed and that went', () => {
    const before = run([finding('a'), finding('b'), finding('c')])
    const after = run([finding('b'), finding('c', { confidence: 'proven' }), finding('d')])
    expect(changesBetween(before, after)).toEqual({
      appeared: [finding('d')],
      changed: [finding('c', { confidence: 'proven' })],
      gone: [finding('a')],
      lost: [],
    })
  })

  it('do not call a finding gone whose class could not be judged this time', () => {
    const after = run([], [{ class: 'broken', why: 'forbidden', needs: null }])
    expect(changesBetween(run([finding('a')]), after)).toMatchObject({ gone: [], lost: [finding('a')] })
  })

  it('are none where only the evidence has other ages', () => {
    const evidence = [{ source: 'cluster', at: 5, text: 'seen' } as const]
    const none = { appeared: [], changed: [], gone: [], lost: [] }
    expect(changesBetween(run([finding('a')]), run([finding('a', { evidence })]))).toEqual(none)
  })
})
