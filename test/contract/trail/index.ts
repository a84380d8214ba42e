import { describe, expect, it } from 'vitest'
import { emptyHead, problemsOf, type TrailEntry } from '../../../src/domain/trail/index.ts'
import type { Trail } from '../../../src/ports/trail.ts'

/** A step of a remedy. */
export function trailEntry(outcome: string): TrailEntry {
  return {
    at: 1_000,
    actor: { kind: 'person', name: 'ada' },
    remedy: 'reap',
    plan: 'a'.repeat(64),
    step: 're-checked',
    subject: 'EphemeralRunner arc-runners/linux-1',
    gates: [{ gate: 'same-object', passed: true, proof: 'uid 1' }],
    outcome,
  }
}

/** The contract of a trail: the file, the ledger and the twin in memory keep it. */
export function trailContract(open: () => Promise<Trail>, digest: (text: string) => string): void {
  describe('a trail', () => {
    it('without rows has the empty head', async () => {
      const trail = await open()
      expect([await trail.rows(), await trail.head()]).toEqual([[], emptyHead])
    })

    it('gives back each row as it was appended, in order, each chained to the one before', async () => {
      const trail = await open()
      for (const outcome of ['one', 'two', 'three']) {
        const row = await trail.append(trailEntry(outcome))
        expect(row).toMatchObject(trailEntry(outcome))
      }
      const rows = await trail.rows()
      expect(rows.map(({ number, outcome }) => [number, outcome])).toEqual([
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
      ])
      expect(problemsOf(rows, await trail.head(), digest)).toEqual([])
      expect(await trail.head()).toEqual({ count: 3, hash: rows[2]?.hash })
    })

    it('keeps every character of a proof', async () => {
      const trail = await open()
      const odd = 'NUL \u0000, half a pair \ud800, ” \\ \n, 1e21'
      const gates = [{ gate: 'odd', passed: false, proof: odd }]
      await trail.append({ ...trailEntry(odd), subject: null, plan: null, gates })
      expect(await trail.rows()).toMatchObject([{ outcome: odd, subject: null, plan: null, gates }])
      expect(problemsOf(await trail.rows(), await trail.head(), digest)).toEqual([])
    })
  })
}
