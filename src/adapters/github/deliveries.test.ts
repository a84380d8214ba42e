import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { github, type Routes, routed, type Seen } from '../../../test/contract/github/answering.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const never = new AbortController().signal
const noon = Date.UTC(2026, 0, 2, 12)
const sent = (id: number | string, minutesAgo: number, status_code = 202) => ({
  id,
  guid: `guid-${id}`,
  event: 'workflow_job',
  status: 'OK',
  status_code,
  delivered_at: new Date(noon - minutesAgo * 60_000).toISOString(),
})
const next = (path: string, cursor: string) => ({
  link: `<https://forge.example${path}?per_page=100&cursor=${cursor}>; rel="next", <https://forge.example/>; rel="first"`,
})
const app = { kind: 'app', id: () => '1', privateKey: () => privateKey } as const
const webhookUrl = 'https://holdfast.example/webhooks'

async function over(routes: Routes, isApp: boolean) {
  const seen: Seen[] = []
  const ours = await github(routed(routes, seen), { webhookUrl, ...(isApp && { credentials: app }) })
  return { ...ours, seen, urls: () => seen.map(({ url }) => url) }
}

describe("the App's deliveries", () => {
  const path = '/app/hook/deliveries'
  const pages: Routes = {
    [`${path}?per_page=100`]: [200, [sent(9, 1), sent(8, 2, 500)], next(path, 'v1_8')],
    [`${path}?per_page=100&cursor=v1_8`]: [200, [sent(7, 10), sent(6, 20)], next(path, 'v1_6')],
    [`${path}?per_page=100&cursor=v1_6`]: [200, [sent(5, 30)]],
  }

  it('are read as the App, page by page, until one is older', async () => {
    const { deliveries, seen, urls } = await over(pages, true)
    const found = await deliveries.sentSince(noon - 15 * 60_000, never)
    expect(found.map(({ id, guid, isReceived }) => [id, guid, isReceived])).toEqual([
      [`${path}/9`, 'guid-9', true],
      [`${path}/8`, 'guid-8', false],
      [`${path}/7`, 'guid-7', true],
    ])
    expect(found[0]).toMatchObject({ event: 'workflow_job', sentAt: noon - 60_000 })
    expect(urls()).toEqual([`${path}?per_page=100`, `${path}?per_page=100&cursor=v1_8`])
    expect(seen[0]?.headers.authorization?.split('.')).toHaveLength(3)
  })

  it('are read to the end where all are newer', async () => {
    const { deliveries } = await over(pages, true)
    expect(await deliveries.sentSince(0, never)).toHaveLength(5)
  })

  it('fail as a whole where a page cannot be read, or where the list has no end', async () => {
    const broken = { ...pages, [`${path}?per_page=100&cursor=v1_8`]: [502, {}] } as const
    const endless: Routes = { [path]: [200, [sent(9, 1)], next(path, 'v1_9')] }
    for (const routes of [broken, endless]) {
      const { deliveries } = await over(routes, true)
      await expect(deliveries.sentSince(0, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    }
  })

  it('are redelivered by their id, or reported as gone', async () => {
    const { deliveries } = await over({ [`POST ${path}/9/attempts`]: [202, {}] }, true)
    expect(await deliveries.sendAgain(`${path}/9`, never)).toBe('asked')
    expect(await deliveries.sendAgain(`${path}/8`, never)).toBe('gone')
    await expect(deliveries.sendAgain('/user', never)).rejects.toMatchObject({ code: 'E_BUG' })
  })

  it('keep an id that is longer than a number is exact', async () => {
    const body = JSON.stringify([sent(1, 1)]).replace('"id":1', '"id":9007199254740993123')
    const { deliveries } = await github((_, response) => response.end(body), { credentials: app })
    expect((await deliveries.sentSince(0, never)).map(({ id }) => id)).toEqual([
      `${path}/9007199254740993123`,
    ])
  })
})

describe("the deliveries of repositories' own hooks", () => {
  const hooks = '/repos/acme/shop/hooks'
  const routes: Routes = {
    '/user/repos': [
      200,
      [
        { id: 1, full_name: 'acme/shop' },
        { id: 2, full_name: 'acme/site' },
        { id: 3, full_name: 'else/where', permissions: { admin: false } },
      ],
    ],
    [hooks]: [
      200,
      [
        { id: 4, config: { url: `${webhookUrl}/` } },
        { id: 5, config: { url: 'https://other.example/webhooks' } },
        { id: 6, config: {} },
      ],
    ],
    '/repos/acme/site/hooks': [200, [{ id: 7, config: { url: webhookUrl } }]],
    [`${hooks}/4/deliveries`]: [200, [sent(41, 1), sent(42, 30)]],
    '/repos/acme/site/hooks/7/deliveries': [200, [sent(71, 5)]],
    [`POST ${hooks}/4/deliveries/41/attempts`]: [202, {}],
  }

  it('are those of every hook that sends to us, the newest first', async () => {
    const { deliveries } = await over(routes, false)
    const ids = (await deliveries.sentSince(noon - 40 * 60_000, never)).map(({ id }) => id)
    expect(ids).toEqual([
      `${hooks}/4/deliveries/41`,
      '/repos/acme/site/hooks/7/deliveries/71',
      `${hooks}/4/deliveries/42`,
    ])
    expect(await deliveries.sendAgain(ids[0] as string, never)).toBe('asked')
  })

  it('are not read where hooks cannot be managed', async () => {
    const { deliveries, urls } = await over(routes, false)
    await deliveries.sentSince(0, never)
    expect(urls().filter((url) => url.includes('else'))).toEqual([])
  })

  it('skip a repository whose hooks GitHub does not show, and fail where it shows none at all', async () => {
    const { deliveries } = await over({ ...routes, '/repos/acme/site/hooks': [404, {}] }, false)
    expect(await deliveries.sentSince(0, never)).toHaveLength(2)
    const none = await over({ '/user/repos': routes['/user/repos'] as never }, false)
    await expect(none.deliveries.sentSince(0, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })
})
