import { describe, expect, it } from 'vitest'
import type { Config } from '../../platform/config/index.ts'
import { forgeServerOf } from './forge-server.ts'

const forge = (given: Partial<Config['forge']>) => ({ kind: 'github', ...given }) as Config['forge']

describe('the server that a configuration means', () => {
  it.each([
    [{}, 'github@api.github.com'],
    [{ url: 'https://github.com/' }, 'github@api.github.com'],
    [{ url: 'https://API.github.com' }, 'github@api.github.com'],
    [{ url: 'https://acme.ghe.com' }, 'github@api.acme.ghe.com'],
    [{ url: 'https://ghe.acme.dev' }, 'github@ghe.acme.dev'],
    [{ url: 'https://ghe.acme.dev/api/v3' }, 'github@ghe.acme.dev'],
    [{ url: 'http://127.0.0.1:8443' }, 'github@127.0.0.1:8443'],
    [{ kind: 'gitea', url: 'https://acme.dev/git/' }, 'gitea@acme.dev/git'],
    [{ kind: 'gitea', url: 'https://acme.dev/git/api/v1' }, 'gitea@acme.dev/git'],
    [{ kind: 'simulated', url: 'http://127.0.0.1:1' }, 'simulated'],
  ] as const)('%j is %s', async (given, address) => {
    expect(await forgeServerOf(forge(given))).toMatchObject({ address })
  })

  it('is the same for another App or token', async () => {
    const app = { id: '1', installationId: 12, privateKey: 'key' }
    expect(await forgeServerOf(forge({ app }))).toEqual(await forgeServerOf(forge({ token: 'other' })))
  })

  it('has a short name where its address is no name', async () => {
    const { address } = await forgeServerOf(forge({ url: `https://${'a.'.repeat(60)}dev/what?` }))
    expect(address).toMatch(/^github@[0-9a-f]{16}$/)
  })
})
