import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { trailEntry } from '../../../test/contract/trail/index.ts'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { chained, headOf, type TrailHead, type TrailRow } from '../../domain/trail/index.ts'
import type { Roles } from '../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const digest = () => 'd'.repeat(64)

function kept(problems: readonly string[] = [], store: 'files' | 'ledger' = 'files') {
  const rows: TrailRow[] = []
  for (const outcome of ['first', 'second']) rows.push(chained(trailEntry(outcome), headOf(rows), digest))
  const noted: (TrailHead | null)[] = []
  const own: Roles = {
    ...roles,
    async readTrail(_, head) {
      noted.push(head)
      return {
        rows,
        head: headOf(rows),
        store,
        place: store === 'files' ? '/data/remedies/trail.jsonl' : 'the ledger db:5432/holdfast',
        problems,
      }
    },
  }
  return { noted, deps: { roles: own } }
}

describe('holdfast trail', () => {
  it('lists steps, narrowed by plan and number', async () => {
    const { deps } = kept()
    const { out } = await cli.runWith(deps, 'trail', 'list')
    expect(out).toContain('re-checked')
    expect(
      JSON.parse((await cli.runWith(deps, 'trail', 'list', '--limit', '1', '--json')).out),
    ).toMatchObject([{ number: 2 }])
    expect(JSON.parse((await cli.runWith(deps, 'trail', 'list', '--plan', 'b', '--json')).out)).toEqual([])
    expect((await cli.run('trail', 'list')).out).toContain('No remedy has done anything here.')
  })

  it('shows one step with its actor, gates and proofs', async () => {
    const { deps } = kept()
    const { out } = await cli.runWith(deps, 'trail', 'show', '1')
    for (const words of ['by person ada', 'passed same-object: uid 1', 'first']) expect(out).toContain(words)
    const missing = await cli.runWith(deps, 'trail', 'show', '9')
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('the trail has no row 9; it has 2'),
    ])
  })

  it('verifies: 0 where the chain holds, and says what that does not prove', async () => {
    const { deps, noted } = kept()
    const { code, out } = await cli.runWith(deps, 'trail', 'verify')
    expect([code, noted]).toEqual([0, [null]])
    expect(out).toContain('In /data/remedies/trail.jsonl. Who can write both files can write the whole again')
  })

  it('says where the ledger has it: in the list, in the verdict and for programs', async () => {
    const { deps } = kept([], 'ledger')
    expect((await cli.runWith(deps, 'trail', 'list')).out).toContain('(the ledger db:5432/holdfast)')
    const { out } = await cli.runWith(deps, 'trail', 'verify')
    expect(out).toContain('In the ledger db:5432/holdfast. Who owns the tables of the ledger')
    const { out: json } = await cli.runWith(deps, 'trail', 'verify', '--json')
    expect(JSON.parse(json)).toMatchObject({ store: 'ledger', place: 'the ledger db:5432/holdfast' })
  })

  it('verifies by a head that was noted elsewhere', async () => {
    const { deps, noted } = kept()
    const head = `2:${'d'.repeat(64)}`
    expect(await cli.runWith(deps, 'trail', 'verify', '--head', head)).toMatchObject({ code: 0 })
    expect(noted).toEqual([{ count: 2, hash: 'd'.repeat(64) }])
    expect(await cli.runWith(deps, 'trail', 'verify', '--head', '2:xyz')).toMatchObject({ code: 2 })
  })

  it('verifies: 1 where it does not hold, and names each place', async () => {
    const { deps } = kept(['row 2 was changed: its hash is not that of its text'])
    const { code, out } = await cli.runWith(deps, 'trail', 'verify')
    expect(code).toBe(1)
    expect(out).toContain('row 2 was changed')
  })
})
