import { describe, expect, it } from 'vitest'
import { type IsolationFacts, isolationReport } from './report.ts'

const root: IsolationFacts = {
  uid: 0,
  wanted: 'auto',
  runAs: null,
  impossible: null,
  isRealForge: true,
  rootAllowed: false,
}

describe('the isolation of local runners', () => {
  it('is a user of their own under root', () => {
    expect(isolationReport(root)).toMatchObject({ level: 'own-users', todo: null, isRefused: false })
  })

  it.each([
    ['it is switched off', { wanted: 'off' as const }, 'runners.isolation is off'],
    ['it cannot be had', { impossible: 'there is no setpriv' }, 'there is no setpriv'],
  ])('is nothing under root where %s: refused for a real forge', (_, given, why) => {
    const report = isolationReport({ ...root, ...given })
    expect(report).toMatchObject({ level: 'none', isRefused: true })
    expect(report.sentence).toContain(why)
    expect(report.sentence).toContain('as root')
    expect(report.todo).not.toBeNull()
  })

  it('is not refused for the simulated forge, nor where it was allowed by name', () => {
    const off: IsolationFacts = { ...root, wanted: 'off' }
    expect(isolationReport({ ...off, isRealForge: false })).toMatchObject({ level: 'none', isRefused: false })
    expect(isolationReport({ ...off, rootAllowed: true })).toMatchObject({ level: 'none', isRefused: false })
  })

  it('is one user for all runners where the settings name one, which is said with what it does not separate', () => {
    for (const wanted of ['auto', 'off'] as const) {
      const report = isolationReport({ ...root, wanted, runAs: 'ci' })
      expect(report).toMatchObject({ level: 'one-user', isRefused: false })
      expect(report.sentence).toMatch(/all the user ci: apart from Holdfast, and not from each other/)
      expect(report.todo).toContain('runners.runAs')
    }
  })

  it('is refused for every forge where the user that was named cannot be had, because jobs would be root', () => {
    const given = { ...root, runAs: 'ci', impossible: 'there is no user ci', isRealForge: false }
    const report = isolationReport(given)
    expect(report).toMatchObject({ level: 'none', isRefused: true })
    expect(report.sentence).toContain('there is no user ci')
    expect(isolationReport({ ...given, rootAllowed: true }).isRefused).toBe(false)
  })

  it('says without root that the user that was named has no effect', () => {
    const { sentence } = isolationReport({ ...root, uid: 1000, runAs: 'ci', impossible: 'only root can' })
    expect(sentence).toContain('runners.runAs has no effect without root')
  })

  it('is none without root, which is reported and not refused', () => {
    const report = isolationReport({ ...root, uid: 1000, impossible: 'only root can' })
    expect(report).toMatchObject({ level: 'none', isRefused: false })
    expect(report.sentence).toContain("Holdfast's own user (1000)")
  })
})
