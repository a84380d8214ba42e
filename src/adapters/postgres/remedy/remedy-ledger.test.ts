import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { planStoreContract } from '../../../../test/contract/plan-store/index.ts'
import { trailContract, trailEntry } from '../../../../test/contract/trail/index.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { clock } from '../../../../test/support/machine.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { chained, emptyHead, headOf, problemsOf, type TrailRow } from '../../../domain/trail/index.ts'
import { createRemedyLedger } from './index.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(() => bench.empty())

/** As another process would have it. */
function open() {
  const { database, programUrl, log } = bench
  return createRemedyLedger({ database, url: programUrl, tls: { mode: 'disable' }, digest, log, clock })
}

async function withRows(count: number) {
  const { trail } = open()
  for (let index = 1; index <= count; index++) await trail.append(trailEntry(`row ${index}`))
}
const problems = async () => {
  const { trail } = open()
  return problemsOf(await trail.rows(), await trail.head(), digest)
}

describe('in Postgres', () => {
  trailContract(async () => open().trail, digest)
  planStoreContract(async () => ({
    plans: open().plans,
    async damage(hash, change) {
      const { rows } = await bench.run('select plan::text as text from remedy_plans where hash = $1', [hash])
      const text = change(rows[0].text).replaceAll("'", "''")
      await bench.behind(`update remedy_plans set plan = '${text}' where hash = '${hash}'`)
    },
  }))
})

describe('two replicas', () => {
  it('that append at once make one chain, and every row is there', async () => {
    const trails = [open().trail, open().trail, open().trail]
    const appended = await Promise.all(
      Array.from({ length: 30 }, (_, index) => trails[index % 3]?.append(trailEntry(`row ${index}`))),
    )
    expect(new Set(appended.map((row) => row?.number)).size).toBe(30)
    expect(await problems()).toEqual([])
    expect((await open().trail.rows()).map(({ outcome }) => outcome).sort()).toEqual(
      Array.from({ length: 30 }, (_, index) => `row ${index}`).sort(),
    )
  })

  it('run one remedy at a time; the next one begins when the first has ended', async () => {
    const [first, second] = [open(), open()]
    const lock = await first.lock()
    await expect(second.lock()).rejects.toMatchObject({
      code: 'E_REMEDY_BUSY',
      message: expect.stringMatching(/with the ledger .*\(session \d+ of the database, from 127\.0\.0\.1\)/),
    })
    await lock[Symbol.asyncDispose]()
    untilTestEnds(await second.lock())
    await second.trail.append(trailEntry('by the second'))
    expect(await problems()).toEqual([])
  })

  it('do not both append where the first lost its session without knowing: it is fenced', async () => {
    const [first, second] = [open(), open()]
    untilTestEnds(await first.lock())
    await first.trail.append(trailEntry('by the first'))
    await bench.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast remedy'`,
    )
    await first.trail.append(trailEntry('nobody else began'))
    untilTestEnds(await secondLock(second))
    await expect(first.trail.append(trailEntry('late'))).rejects.toMatchObject({ code: 'E_REMEDY_FENCED' })
    await second.trail.append(trailEntry('by the second'))
    expect((await open().trail.rows()).map(({ outcome }) => outcome)).toEqual([
      'by the first',
      'nobody else began',
      'by the second',
    ])
    expect(await problems()).toEqual([])
  })
})

/** The server ends a session a moment after it was asked to. */
async function secondLock(store: ReturnType<typeof open>): Promise<AsyncDisposable> {
  const until = Date.now() + 10_000
  for (;;) {
    try {
      return await store.lock()
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

const swap = (column: string) =>
  `update remedy_trail set ${column} = (select ${column} from remedy_trail where number = 4) where number = 2`

describe('a trail in Postgres whose triggers a superuser lifted', () => {
  it.each([
    [
      'changed',
      `update remedy_trail set entry = replace(entry::text, 'row 2', 'row X')::json where number = 2`,
      /row 2 was changed/,
    ],
    [
      'changed in its actor',
      `update remedy_trail set entry = replace(entry::text, 'ada', 'eve')::json where number = 4`,
      /row 4 was changed/,
    ],
    ['chained to another', swap('previous'), /row 2 does not follow/],
    [
      'removed from the middle',
      'delete from remedy_trail where number = 2',
      /row 3 stands where row 2 belongs/,
    ],
    [
      'removed from the middle, the later ones renumbered',
      'delete from remedy_trail where number = 2; update remedy_trail set number = number - 1 where number > 2',
      /row 2 does not follow/,
    ],
    [
      'removed from the beginning',
      'delete from remedy_trail where number = 1',
      /row 2 stands where row 1 belongs/,
    ],
    ['cut off at the end', 'delete from remedy_trail where number > 2', /the last 2 rows were removed/],
    ['cut off, all of them', 'truncate remedy_trail', /the last 4 rows were removed/],
    [
      'added at the end',
      `insert into remedy_trail (number, previous, hash, entry) select 5, hash, repeat('d', 64), entry from remedy_trail where number = 4`,
      /row 5 was changed|1 rows stand after the head/,
    ],
    [
      'added in the middle',
      `update remedy_trail set number = number + 10 where number > 2; update remedy_trail set number = number - 9 where number > 10; insert into remedy_trail (number, previous, hash, entry) select 3, previous, repeat('d', 64), entry from remedy_trail where number = 2`,
      /row 3 does not follow/,
    ],
    [
      'exchanged with another',
      `update remedy_trail set number = 9 where number = 2; update remedy_trail set number = 2 where number = 3; update remedy_trail set number = 3 where number = 9`,
      /row 2 does not follow/,
    ],
    ['forgotten by its head', 'delete from remedy_trail_head', /4 rows stand after the head/],
    [
      'cut off together with an older head',
      `delete from remedy_trail where number > 3; update remedy_trail_head set count = 3`,
      /row 3 is not the one that the head names/,
    ],
  ])('with a row that was %s is found and named, and takes no more rows', async (_, attack, found) => {
    await withRows(4)
    await bench.behind(attack)
    expect((await problems()).join('\n')).toMatch(found)
    await expect(open().trail.append(trailEntry('more'))).rejects.toMatchObject({ code: 'E_TRAIL_BROKEN' })
    await expect(open().trail.rows()).resolves.not.toContainEqual(
      expect.objectContaining({ outcome: 'more' }),
    )
  })

  it('is found by a head that was noted elsewhere where the whole was written again', async () => {
    await withRows(3)
    const noted = await open().trail.head()
    const forged: TrailRow[] = []
    for (const outcome of ['x', 'y', 'z']) forged.push(chained(trailEntry(outcome), headOf(forged), digest))
    const written = forged.map(
      ({ number, previous, hash, ...entry }) =>
        `update remedy_trail set previous = '${previous}', hash = '${hash}', entry = '${JSON.stringify(entry)}' where number = ${number}`,
    )
    await bench.behind(`${written.join(';')}; update remedy_trail_head set hash = '${headOf(forged).hash}'`)
    expect(await problems()).toEqual([])
    expect(problemsOf(await open().trail.rows(), noted, digest)).toEqual([
      expect.stringContaining('the rows were written again'),
    ])
  })

  it('with a row that has not the form of one is refused by its number', async () => {
    await withRows(2)
    await bench.behind(`update remedy_trail set entry = '{"at": 1}' where number = 2`)
    await expect(open().trail.rows()).rejects.toMatchObject({
      code: 'E_TRAIL_BROKEN',
      message: expect.stringContaining('row 2 has not the form of a row'),
    })
  })

  it('is set aside and begun again by the statements of the guide', async () => {
    await withRows(2)
    await bench.behind('delete from remedy_trail where number = 2')
    await bench.run(beginAgain)
    expect(await open().trail.head()).toEqual(emptyHead)
    expect(await open().trail.append(trailEntry('first'))).toMatchObject({ number: 1 })
    expect(await problems()).toEqual([])
    const { rows } = await bench.run('select number from remedy_trail_before')
    expect(rows).toEqual([{ number: '1' }])
    await bench.run('drop table remedy_trail_before')
  })
})

/** As docs/remedies.md has it. */
const beginAgain = /```sql\n(.*?)```/s.exec(readFileSync('docs/remedies.md', 'utf8'))?.[1] ?? ''

describe('the retention of the ledger', () => {
  it('takes nothing of the trail', async () => {
    await withRows(3)
    const ledger = await bench.open()
    await ledger.archive(0, 100)
    await ledger.purge(0, 100)
    expect(await open().trail.rows()).toHaveLength(3)
  })
})
