import { describe, expect, it } from 'vitest'
import { type IsolationFacts, isolationReport } from './report.ts'

const root: IsolationFacts = {
  ...{ uid: 0, wanted: 'auto', impossible: null, isRealForge: true, rootAllowed: false },
}

describe('what separates local runners', () => {
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

  it('is nothing without root, which is said and not refused', () => {
    const report = isolationReport({ ...root, uid: 1000, impossible: 'only root can' })
    expect(report).toMatchObject({ level: 'none', isRefused: false })
    expect(report.sentence).toContain("Holdfast's own user (1000)")
  })
})
