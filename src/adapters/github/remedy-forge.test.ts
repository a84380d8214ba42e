import { describe, expect, it } from 'vitest'
import { answering, podToken, routed } from '../../../test/contract/github/answering.ts'
import { clock } from '../../../test/support/machine.ts'
import { createGitHubRemedyForge, openConnection } from './index.ts'

const never = new AbortController().signal
const runner = { id: 7, name: 'linux-1', os: 'linux', status: 'online', busy: true, labels: [] }

async function forgeOf(routes: Parameters<typeof routed>[0]) {
  const apiUrl = await answering(routed(routes))
  const credentials = { kind: 'token', token: () => podToken } as const
  return createGitHubRemedyForge(openConnection({ apiUrl, credentials, clock }), 'github.com')
}

describe('the word of GitHub about a runner', () => {
  it('is that of its organisation or repository, by its whole name', async () => {
    const forge = await forgeOf({
      '/orgs/acme/actions/runners': [
        200,
        { total_count: 2, runners: [{ ...runner, id: 8, name: 'linux-10' }, runner] },
      ],
      '/repos/acme/web/actions/runners': [
        200,
        { total_count: 1, runners: [{ ...runner, busy: false, status: 'offline' }] },
      ],
    })
    const read = async (scope: string) => (await forge.readRunner(scope, 'linux-1', never)).runner
    expect(await read('acme')).toEqual({ id: 7, name: 'linux-1', isOnline: true, isBusy: true })
    expect(await read('acme/web')).toEqual({ id: 7, name: 'linux-1', isOnline: false, isBusy: false })
  })

  it('is that it has none where a list that could be read has none', async () => {
    const forge = await forgeOf({ '/orgs/acme/actions/runners': [200, { total_count: 0, runners: [] }] })
    expect((await forge.readRunner('acme', 'linux-1', never)).runner).toBeNull()
  })

  it.each([403, 404])('is unknown where the list answers %d', async (code) => {
    const forge = await forgeOf({ '/orgs/acme/actions/runners': [code, { message: 'no' }] })
    await expect(forge.readRunner('acme', 'linux-1', never)).rejects.toMatchObject({
      code: 'E_FORGE_UNAVAILABLE',
    })
  })
})
