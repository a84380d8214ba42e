import { describe, expect, it } from 'vitest'
import type { ApiFinding } from './audit.ts'
import { isPassed, rowOf, tableLines } from './report.ts'

const situation = { name: 'memory', how: 'a pod asks for much', classes: ['insufficient-memory'] }

function finding(name: string, subject: Partial<ApiFinding['subject']>): ApiFinding {
  return {
    class: name,
    title: name,
    severity: 'warning',
    subject: { kind: 'namespace', namespace: null, name: 'elsewhere', ...subject },
    confidence: 'proven',
    summary: name,
    evidence: [],
    mustNotConclude: [],
    nextAllowedAction: { kind: 'read', text: 'look', command: null },
    page: null,
  }
}

const own = { namespace: 'audits-memory', name: 'a' }
const row = (findings: readonly ApiFinding[], accepted: readonly string[] = []) =>
  rowOf({ ...situation, accepted }, 'audits-memory', findings)

describe('the row of a situation', () => {
  it('passes where its classes are found and no other, in its namespace or about what has its name', () => {
    for (const subject of [own, { name: 'audits-memory' }]) {
      expect(isPassed(row([finding('insufficient-memory', subject), finding('other', {})]))).toBe(true)
    }
  })

  it('has what was missed, and does not pass', () => {
    const missed = row([finding('insufficient-memory', {})])
    expect([missed.missed, isPassed(missed)]).toEqual([['insufficient-memory'], false])
  })

  it('has what was found besides, unless that is accepted', () => {
    const both = [finding('insufficient-memory', own), finding('other', own)]
    const wrong = row(both)
    expect([wrong.falseAlarms, isPassed(wrong)]).toEqual([['other'], false])
    expect(isPassed(row(both, ['other']))).toBe(true)
  })

  it('does not pass where it could not be made', () => {
    const unmade = { ...row([finding('insufficient-memory', own)]), problem: 'refused' }
    expect([isPassed(unmade), tableLines([unmade])[1]]).toEqual([false, expect.stringContaining('not made')])
  })
})
