import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../../test/support/ledger.ts'
import { sql } from '../../connection/index.ts'
import { nameInstallation } from './name.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.database.query(sql`delete from installation_addresses`)
})

const server = (host: string, name?: string) => ({ kind: 'github', address: `github@${host}`, name })
const named = async (...given: Parameters<typeof server>) =>
  (await nameInstallation(bench.database, server(...given))).name

describe('the name of a forge in the ledger', () => {
  it('is its kind for the first server, and the address for every further one, for good', async () => {
    expect([await named('a.dev'), await named('b.dev'), await named('c.dev')]).toEqual([
      'github',
      'github@b.dev',
      'github@c.dev',
    ])
    expect([await named('b.dev'), await named('a.dev')]).toEqual(['github@b.dev', 'github'])
  })

  it('is new once', async () => {
    expect(await nameInstallation(bench.database, server('a.dev'))).toEqual({ name: 'github', isNew: true })
    expect(await nameInstallation(bench.database, server('a.dev'))).toEqual({ name: 'github', isNew: false })
  })

  it('stays as it was for a ledger of an older version, with all of its jobs', async () => {
    await bench.database.query(sql`insert into installations (name) values ('gitea') on conflict do nothing`)
    const gitea = { kind: 'gitea', address: 'gitea@git.acme.dev' }
    expect(await nameInstallation(bench.database, gitea)).toEqual({ name: 'gitea', isNew: true })
  })

  it('moves to the server’s new address on the operator’s order, and not without', async () => {
    await named('old.dev')
    expect(await named('new.dev')).toBe('github@new.dev')
    expect(await named('new.dev', 'github')).toBe('github')
    expect(await named('new.dev')).toBe('github')
    expect(await named('old.dev')).toBe('github@old.dev')
  })

  it('is one for all processes that start at the same time', async () => {
    const names = await Promise.all(
      Array.from({ length: 8 }, (_, n) => named(n % 2 === 0 ? 'a.dev' : 'b.dev')),
    )
    expect(new Set(names).size).toBe(2)
    expect(new Set(names.filter((_, n) => n % 2 === 0)).size).toBe(1)
  })
})
