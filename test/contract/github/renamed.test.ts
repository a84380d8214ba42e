import { describe, expect, it } from 'vitest'
import { untilTestEnds } from '../../support/until-test-ends.ts'
import { overHttp } from '../forge/over-http.ts'

const never = new AbortController().signal
const labels = ['self-hosted', 'linux']
const installation = 'sim'
const old = { installation, repository: 'acme/shop' }

describe('a repository that is renamed at the simulated GitHub', () => {
  it('is read, minted for, run and searched under its old name, and answers with its new one', async () => {
    const under = untilTestEnds(await overHttp(installation))
    const id = await under.submit({ repository: 'acme/shop', name: 'build', labels })
    await under.forge.mint({ scope: old, name: 'linux-before', labels }, never)
    const before = await under.forge.findRunner(old, 'linux-before', never)
    const answer = await under.calls.send('POST', '/_sim/renames', { from: 'acme/shop', to: 'zeta/store' })
    expect(answer.status).toBe(201)

    const event = await under.forge.readJob(old, id, never)
    expect(event?.job).toMatchObject({ repository: 'zeta/store', forgeJobId: id })
    expect(await under.forge.findRunner(old, 'linux-before', never)).toEqual(before)
    const minted = await under.forge.mint({ scope: old, name: 'linux-after', labels }, never)
    if (minted.kind !== 'minted') throw new Error(minted.reason)
    const connected = await under.connect(minted.jit, 'program')
    expect(await connected?.take()).toBe(id)
    await connected?.finish(id, 'success')
    expect((await under.forge.readJob(old, id, never))?.status).toBe('completed')
    expect(await under.forge.removeRunner(old, before?.id ?? 0, never)).toBe('removed')
  })

  it('leaves its old name free: a repository that takes it is another one', async () => {
    const under = untilTestEnds(await overHttp(installation))
    const id = await under.submit({ repository: 'acme/shop', name: 'build', labels })
    await under.calls.send('POST', '/_sim/renames', { from: 'acme/shop', to: 'zeta/store' })
    await under.calls.send('POST', '/_sim/repositories', { repository: 'acme/shop' })
    expect(await under.forge.readJob(old, id, never)).toBeNull()
    expect((await under.calls.send('GET', '/repos/acme/shop')).body).toMatchObject({ full_name: 'acme/shop' })
    const taken = await under.calls.send('POST', '/_sim/renames', { from: 'acme/shop', to: 'zeta/store' })
    expect(taken.status).toBe(404)
  })
})
