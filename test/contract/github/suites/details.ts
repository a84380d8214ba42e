import { expect, it } from 'vitest'
import { startReceiver } from '../../../../sim/forge/testing/kit.ts'
import { clock } from '../../../support/machine.ts'
import { untilTestEnds } from '../../../support/until-test-ends.ts'
import { assertion } from '../assertion.ts'
import { clientId, hook, installation } from '../forge.ts'
import type { Bench } from './bench.ts'

const repo = '/repos/acme/shop'
const places = [
  [repo, '/repos/acme/none'],
  ['/orgs/acme', '/orgs/nobody'],
  ['/enterprises/simulated', '/enterprises/none'],
] as const

/** Calls that other clients make: labels, programs and tokens of runners, hooks, and who installed the App. */
export function describeDetails({ forge, get, status }: Bench): void {
  const appToken = () => assertion(clock.now())

  for (const [place, nowhere] of places) {
    it(`about labels, programs and tokens of runners below ${place}`, async () => {
      await forge().calls.submit()
      const runners = `${place}/actions/runners`
      const order = { name: 'r-1', runner_group_id: 1, labels: ['self-hosted', 'linux'] }
      const { id } = (await forge().calls.send('POST', `${runners}/generate-jitconfig`, order)).body.runner
      const labels = `${runners}/${id}/labels`
      const names = ({ body }: { body: { labels: { name: string }[] } }) =>
        body.labels.map(({ name }) => name)
      expect(names(await get(labels))).toEqual(['self-hosted', 'linux'])
      const added = await forge().calls.send('POST', labels, { labels: ['gpu'] })
      expect(names(added)).toEqual(['self-hosted', 'linux', 'gpu'])
      expect(names(await forge().calls.send('DELETE', `${labels}/linux`))).toEqual(['self-hosted', 'gpu'])
      expect(await status('DELETE', `${labels}/linux`)).toBe(404)
      expect(await status('DELETE', `${labels}/self-hosted`)).toBe(422)
      expect(names(await forge().calls.send('PUT', labels, { labels: ['arm'] }))).toEqual([
        'self-hosted',
        'arm',
      ])
      expect(names(await forge().calls.send('DELETE', labels))).toEqual(['self-hosted'])
      const unknown = `${runners}/99/labels`
      expect(await status('GET', unknown)).toBe(404)
      expect(await status('POST', unknown, { labels: ['gpu'] })).toBe(404)
      expect(await status('PUT', unknown, { labels: ['gpu'] })).toBe(404)
      expect(await status('DELETE', unknown)).toBe(404)
      expect((await get(`${runners}/downloads`)).body.length).toBeGreaterThan(2)
      expect(await status('GET', `${nowhere}/actions/runners/downloads`)).toBe(404)
      for (const verb of ['registration-token', 'remove-token']) {
        expect(await status('POST', `${runners}/${verb}`)).toBe(201)
        expect(await status('POST', `${nowhere}/actions/runners/${verb}`)).toBe(404)
      }
      if (place === repo) return
      const group = `${place}/actions/runner-groups`
      expect((await get(`${group}/1/runners`)).body).toMatchObject({ total_count: 1, runners: [{ id }] })
      expect(await status('GET', `${group}/99/runners`)).toBe(404)
    })
  }

  it('about a runner that gets other labels: it is given what they say from then on', async () => {
    const job = await forge().calls.submit({ labels: ['gpu'] })
    const { jit, id } = await forge().calls.mint('r-1')
    const { session } = (await forge().calls.connect(jit, 'r-1')).body
    const taken = async () => (await forge().calls.send('GET', '/_runner/job', undefined, session)).body?.id
    expect(await taken()).not.toBe(job)
    await forge().calls.send('POST', `${repo}/actions/runners/${id}/labels`, { labels: ['gpu'] })
    expect(await taken()).toBe(job)
  })

  it('about who installed the App: an organisation, a person, or neither', async () => {
    await forge().calls.submit()
    expect((await get('/orgs/acme/installation', appToken())).body.id).toBe(installation)
    await forge().calls.send('POST', '/_sim/owners', { login: 'ada', type: 'User' })
    await forge().calls.submit({ repository: 'ada/notes' })
    expect((await get('/users/ada/installation', appToken())).body.id).toBe(installation)
    expect(await status('GET', '/orgs/ada/installation', undefined, appToken())).toBe(404)
    expect(await status('GET', '/users/acme/installation', undefined, appToken())).toBe(404)
    expect(await status('GET', '/orgs/nobody/installation', undefined, appToken())).toBe(404)
    expect(await status('GET', '/orgs/acme/installation')).toBe(401)
    const ofEnterprise = '/enterprises/simulated/installation'
    expect(await status('GET', ofEnterprise, undefined, appToken())).toBe(404)
    const made = await forge().calls.send('POST', '/_sim/installations', { enterprise: 'simulated' })
    const found = (await get(ofEnterprise, appToken())).body
    expect(found).toMatchObject({
      id: made.body.id,
      target_type: 'Enterprise',
      account: { slug: 'simulated' },
    })
    expect(await status('GET', ofEnterprise)).toBe(401)
  })

  it("about the App's token: by its client id too, never for more than ten minutes, never from the future", async () => {
    const nowSeconds = Math.floor(clock.now() / 1000)
    const answered = async (claims: object) => {
      const { status: code, body } = await get('/app', assertion(clock.now(), { ...claims }))
      return code === 200 ? 200 : body.message
    }
    expect(await answered({ iss: clientId })).toBe(200)
    expect(await answered({ iss: 'Iv1.other' })).toBe('Integration not found')
    expect(await answered({ exp: nowSeconds + 590 })).toBe(200)
    expect(await answered({ exp: nowSeconds + 620 })).toContain("'exp') is too far in the future")
    expect(await answered({ iat: nowSeconds + 30 })).toContain("'Issued at' claim ('iat')")
  })

  it('about how long a run took, in time and not in money', async () => {
    const id = await forge().calls.submit()
    const { run_id: run } = (await get(`${repo}/actions/jobs/${id}`)).body
    expect((await get(`${repo}/actions/runs/${run}/timing`)).body).toMatchObject({ billable: {} })
    expect(await status('GET', `${repo}/actions/runs/1/timing`)).toBe(404)
  })

  it('about the configuration of a hook, which moves it to another address', async () => {
    await forge().calls.submit()
    const receiver = untilTestEnds(await startReceiver())
    const own = `${repo}/hooks/${hook}`
    for (const [path, bearer] of [
      [`${own}/config`, undefined],
      ['/app/hook/config', appToken()],
    ] as const) {
      expect(await status('PATCH', path, { url: 'http://nowhere.invalid/' }, bearer)).toBe(200)
      const changed = await forge().calls.send('PATCH', path, { url: receiver.url }, bearer)
      expect(changed.body.url).toBe(receiver.url)
      expect((await get(path, bearer)).body).toMatchObject({ url: receiver.url, secret: '********' })
    }
    expect(await status('GET', own)).toBe(200)
    expect(await status('GET', `${repo}/hooks/1`)).toBe(404)
    expect(await status('GET', `${repo}/hooks/1/config`)).toBe(404)
    expect(await status('PATCH', `${repo}/hooks/1/config`, { url: receiver.url })).toBe(404)
    await forge().calls.submit()
    await receiver.count(1)
  })
}
