import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { forgeToken, openGround } from '../../../../test/support/remedy-ground.ts'
import { fix } from './index.ts'

const never = new AbortController().signal
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const installationToken = 'ghs_plantedInstallationToken000000000000000'
const app = { github_app_id: '17', github_app_installation_id: '23', github_app_private_key: privateKey }
const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`
const arcApi = '/apis/actions.github.com/v1alpha1/namespaces'
const demo = { namespace: 'arc-runners', name: 'arc-demo' }

/** The healthy set of ARC's real controller, which has a token; next to it an App that the forge knows. */
async function ground(data: object = app, env: Readonly<Record<string, string>> = {}) {
  const forge = { isInstalled: true, bearers: [] as (string | undefined)[] }
  const opened = await openGround(
    '0.14.2/a-healthy-idle',
    {
      'POST /api/v3/app/installations/23/access_tokens': () =>
        forge.isInstalled
          ? [201, { token: installationToken, expires_at: new Date(Date.now() + 3_600_000).toISOString() }]
          : [404, { message: 'Not Found' }],
      '/api/v3/orgs/bench/actions/runners': ({ headers }) => {
        forge.bearers.push(headers.authorization)
        return [200, { total_count: 0, runners: [] }]
      },
    },
    env,
  )
  const { truth, faults } = opened.api
  const put = (namespace: string, values: object) =>
    truth.put(secretsIn(namespace), 'arc-app', {
      metadata: { namespace, managedFields: [{ time: '2020-01-01T00:00:00Z' }] },
      type: 'Opaque',
      data: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    })
  put('arc-runners', data)
  faults.push(({ path }, response) => {
    if (!path.endsWith('/log')) return true
    response.end('2026-11-16T12:30:00Z msg="Getting next message"\n')
    return undefined
  })
  const copy = () =>
    truth.get(secretsIn('arc-systems'), 'arc-app')?.data as Record<string, string> | undefined
  const scope = { scaleSet: demo, appSecret: 'arc-app' }
  const order = { ...opened.order, remedy: 'credentials', scope } as const
  const run = (apply: string | null = null) => fix(opened.config, { ...order, apply }, never)
  /** The user's own apply: set and listener name the App. */
  const name = () => {
    for (const [place, spec] of [
      ['arc-runners/autoscalingrunnersets', { githubConfigSecret: 'arc-app' }],
      ['arc-systems/autoscalinglisteners', { githubConfigSecret: 'arc-app' }],
    ] as const) {
      const [object] = truth.objects(`${arcApi}/${place}`)
      if (object === undefined) throw new Error('the state has it')
      const merged = { ...object, spec: { ...(object.spec as object), ...spec } }
      truth.put(`${arcApi}/${place}`, object.metadata.name, merged)
    }
  }
  return { ...opened, forge, run, put, copy, name }
}

const failing = ({ plan }: Awaited<ReturnType<typeof fix>>) =>
  plan.gates.filter(({ passed }) => !passed).map(({ gate, proof }) => `${gate}: ${proof}`)

describe('holdfast fix credentials on a cluster and a forge', () => {
  it('asks the forge as the App, makes its copy, proves the set that names it, and stores no value', async () => {
    const { run, copy, forge, name, stored } = await ground()
    const planned = await run()
    expect([planned.state, copy()]).toEqual(['planned', undefined])
    expect(new Set(forge.bearers)).toEqual(new Set([`Bearer ${installationToken}`]))
    const applied = await run(planned.hash)
    expect([applied.state, Object.keys(copy() ?? {}).sort()]).toEqual(['done', Object.keys(app).sort()])
    expect(Buffer.from(copy()?.github_app_private_key ?? '', 'base64').toString()).toBe(privateKey)
    const waiting = await run()
    expect([waiting.state, failing(waiting).join()]).toEqual([
      'blocked',
      expect.stringMatching(/^set-names-app/),
    ])
    name()
    const proven = await run()
    expect([proven.state, failing(proven)]).toEqual(['observed', []])
    const artefacts = stored() + JSON.stringify([planned, applied, waiting, proven])
    for (const value of [...privateKey.trim().split('\n'), installationToken, forgeToken]) {
      expect(artefacts).not.toContain(value)
      expect(artefacts).not.toContain(Buffer.from(value).toString('base64'))
    }
    expect(artefacts).toContain('arc-app')
  })

  it('is refused without a forge, before anything is read', async () => {
    const { configOf, order, api } = await ground()
    const scope = { scaleSet: demo, appSecret: 'arc-app' }
    const config = configOf({})
    await expect(fix(config, { ...order, remedy: 'credentials', scope }, never)).rejects.toMatchObject({
      code: 'E_REMEDY_FORGE',
    })
    expect(api.requests).toEqual([])
  })

  it('copies nothing of an App that was uninstalled after the plan', async () => {
    const { run, copy, forge } = await ground()
    const { hash } = await run()
    forge.isInstalled = false
    const { state, run: report } = await run(hash)
    expect([state, report?.outcome, copy()]).toEqual([
      'aborted',
      expect.stringContaining('app-accepted'),
      undefined,
    ])
  })

  it('makes nothing where somebody made it after the plan', async () => {
    const { run, copy, put } = await ground()
    const { hash } = await run()
    put('arc-systems', { github_token: 'theirs' })
    expect([(await run(hash)).state, Object.keys(copy() ?? {})]).toEqual(['aborted', ['github_token']])
  })

  it.each<[string, object, RegExp]>([
    [
      'is no key',
      { ...app, github_app_private_key: 'planted-no-key-8a1f' },
      /app-accepted: .*github_app_private_key is not an RSA key/,
    ],
    [
      'is under another name',
      { ...app, github_app_private_key: undefined, github_app_pem: 'planted-no-key-8a1f' },
      /app-secret-bad-key: .*github_app_pem/,
    ],
  ])('is blocked, by name, where the key %s, and shows nothing of it', async (_, data, why) => {
    const { run, stored } = await ground(JSON.parse(JSON.stringify(data)))
    const report = await run()
    expect([report.state, failing(report).join()]).toEqual(['blocked', expect.stringMatching(why)])
    expect(stored() + JSON.stringify(report)).not.toContain('planted-no-key')
  })

  it('sends the App to no other host than the one of the set', async () => {
    const { run, forge, api } = await ground()
    const path = `${arcApi}/arc-runners/autoscalingrunnersets`
    const [set] = api.truth.objects(path)
    const spec = { ...(set?.spec as object), githubConfigUrl: 'https://github.example.com/bench' }
    api.truth.put(path, set?.metadata.name ?? '', { ...set, spec } as never)
    expect(failing(await run()).join()).toMatch(/app-accepted: .*github\.example\.com is not asked/)
    expect(forge.bearers).toEqual([])
  })
})
