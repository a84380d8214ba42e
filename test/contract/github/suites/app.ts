import { expect, it } from 'vitest'
import { token } from '../../../../sim/forge/testing/kit.ts'
import { clock } from '../../../support/machine.ts'
import { assertion } from '../assertion.ts'
import { installation } from '../forge.ts'
import type { Bench } from './bench.ts'

const repo = '/repos/acme/shop'

/** The App, its tokens, and its one installation. */
export function describeApp({ forge, status, goOn }: Bench): void {
  it('about the App, its installation, and tokens that end after an hour', async () => {
    const appToken = () => assertion(clock.now())
    expect(await status('GET', '/app', undefined, appToken())).toBe(200)
    expect(await status('GET', '/app/installations', undefined, appToken())).toBe(200)
    expect(await status('GET', `/app/installations/${installation}`, undefined, appToken())).toBe(200)
    expect(await status('GET', '/app/installations/1', undefined, appToken())).toBe(404)
    const tokens = `/app/installations/${installation}/access_tokens`
    const issued = await forge().calls.send('POST', tokens, undefined, appToken())
    expect(issued.status).toBe(201)
    expect(await status('POST', '/app/installations/1/access_tokens', undefined, appToken())).toBe(404)
    expect(await status('GET', '/installation/repositories', undefined, issued.body.token)).toBe(200)
    await forge().calls.send('DELETE', '/_sim/tokens')
    expect(await status('GET', '/installation/repositories', undefined, issued.body.token)).toBe(401)
    const fresh = await forge().calls.send('POST', tokens, undefined, appToken())
    expect(await status('GET', '/installation/repositories', undefined, fresh.body.token)).toBe(200)
    goOn(Date.parse(fresh.body.expires_at) - clock.now() + 1000)
    expect(await status('GET', '/installation/repositories', undefined, fresh.body.token)).toBe(401)
  })

  it('about credentials that are wrong, of the wrong kind, too old or too long', async () => {
    const tokens = `/app/installations/${installation}/access_tokens`
    const nowSeconds = Math.floor(clock.now() / 1000)
    const badTokens = [
      token,
      assertion(clock.now(), { exp: nowSeconds - 1 }),
      assertion(clock.now(), { exp: nowSeconds + 3_600 }),
      assertion(clock.now(), { iat: nowSeconds + 3_600 }),
      assertion(clock.now(), { iss: '1' }),
      `${assertion(clock.now()).slice(0, -8)}AAAAAAAA`,
    ]
    for (const bad of badTokens) expect(await status('POST', tokens, undefined, bad)).toBe(401)
    expect(await status('GET', repo, undefined, assertion(clock.now()))).toBe(401)
    expect(await status('GET', repo, undefined, 'wrong')).toBe(401)
    expect((await fetch(`${forge().server.url}${repo}`)).status).toBe(401)
  })

  it('about an installation that was suspended, until it is no more', async () => {
    await forge().calls.submit()
    const tokens = `/app/installations/${installation}/access_tokens`
    await forge().calls.send('POST', '/_sim/installation', { suspended: true })
    expect(await status('GET', repo)).toBe(403)
    expect(await status('GET', '/installation/repositories')).toBe(403)
    expect(await status('POST', tokens, undefined, assertion(clock.now()))).toBe(403)
    const path = `/app/installations/${installation}`
    expect(await status('GET', path, undefined, assertion(clock.now()))).toBe(200)
    await forge().calls.send('POST', '/_sim/installation', { suspended: false })
    expect(await status('GET', repo)).toBe(200)
  })
}
