import { describe, expect, it } from 'vitest'
import { parseRunnerPool } from '../../../src/api/index.ts'
import { deathClasses } from '../../../src/domain/death/index.ts'
import type { PodStage } from '../stage.ts'
import { podKinds, processKinds } from './index.ts'

const kindsLeast = 30
const stage = {
  runnerCommand: ['node', '-x', 'main.ts'],
  forge: { host: 'h', port: 1 },
} as unknown as PodStage
const base = { labels: ['self-hosted'], image: 'runner:1', command: ['runner'], minWarm: 0 }

describe('the kinds of death', () => {
  it('are as many as were promised, each with a name and a right class of its own', () => {
    const all = [...podKinds, ...processKinds]
    expect(podKinds.length).toBeGreaterThanOrEqual(kindsLeast)
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    for (const { classes } of all) {
      expect(classes.length).toBeGreaterThan(0)
      expect(deathClasses).toEqual(expect.arrayContaining([...classes]))
    }
  })

  it.each(podKinds.map((kind) => [kind.name, kind] as const))('%s has a pool that is taken', (name, kind) => {
    expect(parseRunnerPool(name, { ...base, ...kind.pool?.(stage) })).toMatchObject({ kind: 'pool' })
  })
})
