import { expect, it } from 'vitest'
import { attentionRank } from '../../../src/domain/job/index.ts'
import type { JobConditions, JobCursor } from '../../../src/ports/ledger.ts'
import { cause, farMs, jobEvent, type MakeLedger, pool, topic } from './kit.ts'

const refusal = { reason: 'no', delayMs: 0, failuresMax: 1, incident: null } as const

/** Lists and counts of jobs: by what, in which order, and page by page. */
export function jobLists(make: MakeLedger): void {
  topic('lists of jobs', make, (bench) => {
    const ids = new Map<number, string>()
    const namesOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => ids.get(id)).join('')
    const names = async (filter: JobConditions) =>
      namesOf((await bench().ledger.jobs({ ...filter, order: 'attention', limit: 50 })).rows)
    const queue = async (forgeJobId: number, name: string, over = {}) =>
      ids.set(await bench().queue(forgeJobId, { repository: 'acme/app', ...over }), name)
    const end = (forgeJobId: number, conclusion: string) =>
      bench().ledger.applyJobEvent(jobEvent(forgeJobId, 'completed', { conclusion }), cause)

    /** r runs, c is claimed, q is quarantined, w and x wait, n has no pool, s, f and g ended. */
    const populate = async () => {
      ids.clear()
      await bench().ledger.putPools([pool(), pool({ name: 'gpu', labels: ['self-hosted', 'GPU'] })], cause)
      await queue(1, 'r')
      await bench().running()
      await queue(2, 'q', { repository: 'acme/odd' })
      await bench().ledger.mintFailed((await bench().claimed()).handle, { ...refusal, concerns: 'job' })
      await queue(3, 'c')
      await bench().claimed()
      await queue(4, 's')
      await end(4, 'success')
      await queue(5, 'w')
      await queue(6, 'n', { labels: ['self-hosted', 'nowhere'] })
      await queue(7, 'f')
      await end(7, 'failure')
      await queue(8, 'x', { labels: ['self-hosted', 'gpu'] })
      await queue(9, 'g')
      await end(9, 'cancelled')
    }

    it('puts what asks for attention first, the oldest before the newest, and what ended last', async () => {
      await populate()
      expect(await names({})).toBe('qcnwxrgfs')
      const { rows } = await bench().ledger.jobs({ order: 'attention', limit: 50 })
      expect(rows.map(attentionRank)).toEqual([0, 0, 0, 1, 1, 2, 3, 3, 3])
      expect(namesOf((await bench().ledger.jobs({ limit: 50 })).rows)).toBe('gxfnwscqr')
    })

    it.each([
      [{ standings: ['queued'] }, 'nwx'],
      [{ standings: ['quarantined'] }, 'q'],
      [{ standings: ['quarantined', 'running'] }, 'qr'],
      [{ states: ['queued'] }, 'qnwx'],
      [{ pool: 'gpu' }, 'x'],
      [{ pool: 'none' }, ''],
      [{ labels: ['gpu', 'Self-Hosted'] }, 'x'],
      [{ repository: 'ACME/odd' }, 'q'],
      [{ outcomes: ['failure', 'success'] }, 'fs'],
      [{ outcomes: ['cancelled'], pool: 'gpu' }, ''],
      [{ withinMs: farMs, states: ['completed', 'cancelled', 'running'] }, 'rgfs'],
    ] satisfies [JobConditions, string][])('lists and counts those with %j', async (conditions, expected) => {
      await populate()
      expect(await names(conditions)).toBe(expected)
      expect(await bench().ledger.countJobs(conditions, 50)).toBe(expected.length)
    })

    it('counts so far and no further', async () => {
      await populate()
      expect(await bench().ledger.countJobs({}, 50)).toBe(9)
      expect(await bench().ledger.countJobs({}, 4)).toBe(4)
    })

    it.each(['attention', 'newest'] as const)(
      'gives page after page, %s first, each job once',
      async (order) => {
        await populate()
        const whole = namesOf((await bench().ledger.jobs({ order, limit: 50 })).rows)
        let [seen, after]: [string, JobCursor | undefined] = ['', undefined]
        for (let page = 0; page < 5; page += 1) {
          const { rows } = await bench().ledger.jobs({ order, limit: 2, after })
          seen += namesOf(rows)
          const last = rows.at(-1)
          if (last === undefined) break
          after = { rank: attentionRank(last), id: last.id }
        }
        expect(seen).toBe(whole)
      },
    )

    it('lists one that only a newer version can read apart from the others', async () => {
      await populate()
      const [strange = 0] = [...ids].find(([, name]) => name === 'w') ?? []
      await bench().makeUnreadable({ kind: 'job', id: strange })
      const { rows, unreadable } = await bench().ledger.jobs({ order: 'attention', limit: 50 })
      expect(namesOf(rows)).toBe('qcnxrgfs')
      expect(unreadable.map(({ id }) => id)).toEqual([strange])
    })
  })
}
