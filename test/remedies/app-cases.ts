import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { Bench, Case } from './cases.ts'
import { opened, set } from './fix-cases.ts'
import { expectMade, type Json } from './ground.ts'
import { restartListener } from './listener-pod.ts'
import { listenerObjects, setsPath } from './stand-ins.ts'

const mergePatch = 'application/merge-patch+json'
const name = 'arc-app'
const choice = [...set, '--app-secret', name]
const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`
const served = 'level=INFO msg="Getting next message" component=listener lastMessageID=0'
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const app = { github_app_id: '17', github_app_installation_id: '23', github_app_private_key: privateKey }

/** An App in place of a token; the user's own apply, and ARC after it, are written by hand here. */
export const appCases: Readonly<Record<string, Case>> = {
  async 'an App for a token: copied once the forge takes it, proven once the set uses it, and no value shown'(
    bench,
  ) {
    const { run, plan } = await withApp(bench, app)
    const { hash, out } = await plan(...choice)
    bench.say(out)
    const applied = await run('fix', 'credentials', '--apply', hash)
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.equal(
      Buffer.from((await copyIn(bench))?.github_app_private_key ?? '', 'base64').toString(),
      privateKey,
    )
    const early = await run('fix', 'credentials', ...choice)
    assert.equal(early.code, 5, early.out)
    assert.match(
      early.out.replaceAll(/\s+/g, ' '),
      /set-names-app.*holdfast apply --scale-set arc-runners\/arc-demo/,
    )
    const { api } = bench.ground.cluster
    for (const path of [setsPath, listenerObjects]) {
      const [object] = (await api.request('GET', path)).body.items as Json[]
      const spec = { githubConfigSecret: name }
      await api.request('PATCH', `${path}/${object.metadata.name}`, { spec }, mergePatch)
    }
    await restartListener(bench, served)
    const proven = await run('fix', 'credentials', ...choice)
    bench.say(proven.out)
    assert.equal(proven.code, 0, proven.out + proven.err)
    assert.match(proven.out, /^Proven/)
    const trail = (await run('trail', 'list', '--json')).out
    const shown = [out, applied.out, applied.err, early.out, proven.out, trail].join()
    for (const line of privateKey.trim().split('\n')) assert.ok(!shown.includes(line))
  },

  async 'an App for a token: a key under another name is named, and nothing is asked or written'(bench) {
    const { github_app_private_key: pem, ...rest } = app
    const { run } = await withApp(bench, { ...rest, github_app_pem: pem })
    const { code, out } = await run('fix', 'credentials', ...choice)
    bench.say(out)
    assert.equal(code, 5, out)
    assert.match(
      out.replaceAll(/\s+/g, ' '),
      /app-secret-bad-key: .*no github_app_private_key.*github_app_pem/,
    )
    assert.equal(await copyIn(bench), null)
  },

  async 'an App for a token: uninstalled after the plan, and nothing is written'(bench) {
    const { run, plan } = await withApp(bench, app)
    const { hash } = await plan(...choice)
    bench.forge.isAppInstalled = false
    const { code, out } = await run('fix', 'credentials', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /app-accepted/)
    assert.equal(await copyIn(bench), null)
  },

  async 'an App for a token: its copy is made by another after the plan, and stays'(bench) {
    const { run, plan } = await withApp(bench, app)
    const { hash } = await plan(...choice)
    await makeSecret(bench, 'arc-systems', { github_token: 'theirs' })
    const { code, out } = await run('fix', 'credentials', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /same-object/)
    assert.deepEqual(Object.keys((await copyIn(bench)) ?? {}), ['github_token'])
  },
}

async function withApp(bench: Bench, data: Readonly<Record<string, string>>) {
  const ready = await opened(bench, '0.14.2/a-healthy-idle', 'credentials')
  bench.forge.isAppInstalled = true
  await makeSecret(bench, 'arc-runners', data)
  return ready
}

function makeSecret({ ground }: Bench, namespace: string, stringData: object): Promise<Json> {
  return expectMade(ground.cluster.api, secretsIn(namespace), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    stringData,
  })
}

/** Its data as it stands; null: there is no copy. */
async function copyIn({ ground }: Bench): Promise<Readonly<Record<string, string>> | null> {
  const { status, body } = await ground.cluster.api.request('GET', `${secretsIn('arc-systems')}/${name}`)
  return status === 404 ? null : body.data
}
