import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KeyCopy } from '../../../ports/remedy-secrets.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createRemedySecrets } from './remedy-secrets.ts'

const never = new AbortController().signal
const runners = '/api/v1/namespaces/arc-runners/secrets'
const systems = '/api/v1/namespaces/arc-systems/secrets'
const token = 'planted-token-5c1e'
const key = '.dockerconfigjson'
const from = { namespace: 'arc-runners', name: 'ghcr-pull' }
const to = { namespace: 'arc-systems', name: 'ghcr-pull' }

function pullSecret(auth: string): Record<string, unknown> {
  const config = JSON.stringify({ auths: { 'ghcr.io': { auth } } })
  const data = { [key]: Buffer.from(config).toString('base64') }
  return { metadata: from, type: 'kubernetes.io/dockerconfigjson', data }
}

async function served() {
  const { api, cluster } = await bench()
  const { metadata } = api.truth.put(runners, 'ghcr-pull', pullSecret(token))
  const { uid, resourceVersion } = metadata
  const secrets = createRemedySecrets(cluster)
  const copyTo = (state: KeyCopy['to']['state']) =>
    secrets.copyKeys({ keys: [key], from: { ...from, uid, resourceVersion }, to: { ...to, state } }, never)
  const other = () => api.truth.put(systems, 'ghcr-pull', { ...pullSecret('other'), metadata: to }).metadata
  const stored = () => api.truth.get(systems, 'ghcr-pull')?.data
  return { api, secrets, copyTo, other, stored }
}

describe('a Secret as a remedy reads it', () => {
  it('has its registries, when it was written, and salted hashes: no value', async () => {
    const { secrets } = await served()
    const read = await secrets.readSecret(from, 'salt', never)
    expect(read).toMatchObject({
      writtenAt: Date.parse('2026-11-16T12:00:00Z'),
      secret: {
        registries: ['ghcr.io'],
        keys: [{ name: key, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      },
    })
    expect(JSON.stringify(read)).not.toContain(token)
    const pepper = await secrets.readSecret(from, 'pepper', never)
    expect(pepper?.secret.keys).not.toEqual(read?.secret.keys)
  })

  it('is null where there is none, and an error where it may not be read', async () => {
    const { api, secrets } = await served()
    expect(await secrets.readSecret(to, '', never)).toBeNull()
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(secrets.readSecret(from, '', never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })
})

describe('the copy of a key', () => {
  it('is made where there was none, with type and value, and is read as equal', async () => {
    const { secrets, copyTo, api } = await served()
    expect(await copyTo(null)).toBe('copied')
    expect(api.truth.get(systems, 'ghcr-pull')).toMatchObject({ type: 'kubernetes.io/dockerconfigjson' })
    const [a, b] = await Promise.all([from, to].map((place) => secrets.readSecret(place, 'x', never)))
    expect(a?.secret.keys).toEqual(b?.secret.keys)
  })

  it('is written over exactly the state that was named, and over no other', async () => {
    const { copyTo, other, stored } = await served()
    const { uid, resourceVersion } = other()
    const before = stored()
    expect(await copyTo(null)).toBe('conflict')
    expect(await copyTo({ uid, resourceVersion: '1' })).toBe('conflict')
    expect(await copyTo({ uid: 'another', resourceVersion })).toBe('gone')
    expect(stored()).toEqual(before)
    expect(await copyTo({ uid, resourceVersion })).toBe('copied')
    expect(stored()).toEqual(pullSecret(token).data)
  })

  it('of a source that was written meanwhile does nothing', async () => {
    const { api, copyTo, stored } = await served()
    api.truth.put(runners, 'ghcr-pull', pullSecret('newer'))
    expect(await copyTo(null)).toBe('conflict')
    api.truth.remove(runners, 'ghcr-pull')
    expect(await copyTo(null)).toBe('gone')
    expect(stored()).toBeUndefined()
  })

  it('that is refused repeats no value, also where the cluster’s words do', async () => {
    const { api, copyTo } = await served()
    const encoded = (pullSecret(token).data as Record<string, string>)[key]
    api.faults.push(({ method }, response) => {
      if (method !== 'POST') return true
      status(response, 422, 'Invalid', `data: Invalid value: ${encoded} (${token}): refused by a webhook`)
      return undefined
    })
    const error = await copyTo(null).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'E_CLUSTER_REFUSED' })
    expect(error).not.toHaveProperty('cause', expect.anything())
    expect(String(error)).toContain('refused by a webhook')
    expect(String(error) + JSON.stringify(error)).not.toContain(token)
    expect(String(error) + JSON.stringify(error)).not.toContain(encoded)
  })

  it('whose answer is lost is unknown', async () => {
    const { api, copyTo } = await served()
    api.faults.push(({ method }, response) => {
      if (method !== 'POST') return true
      response.destroy()
      return undefined
    })
    expect(await copyTo(null)).toBe('unknown')
  })
})

describe('deploy/remedy-secrets-rbac.yaml', () => {
  it('grants what the fix asks for besides the other rights, in each namespace, and no more', async () => {
    const { api, secrets, copyTo, other } = await served()
    const { uid, resourceVersion } = other()
    await secrets.listPods('arc-runners', never)
    await secrets.listEvents('arc-runners', never)
    await secrets.readSecret(to, '', never)
    await copyTo({ uid, resourceVersion })
    await copyTo(null)
    await secrets.removePod({ namespace: 'arc-systems', name: 'listener', uid, resourceVersion }, never)
    const asked = new Set(api.requests.map(({ method, path }) => rightOf(method, path)))
    const file = new URL('../../../../deploy/remedy-secrets-rbac.yaml', import.meta.url)
    const granted = parseAllDocuments(await readFile(file, 'utf8'))
      .map((each) => each.toJS())
      .filter(({ kind }) => kind === 'Role')
      .flatMap(({ metadata, rules }) =>
        rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
          resources.flatMap((resource) =>
            verbs.map((verb) => `${verb} ${resource} in ${metadata.namespace}`),
          ),
        ),
      )
    expect([...asked].sort()).toEqual([...granted].sort())
  })
})

function rightOf(method: string, path: string): string {
  const [, namespace, resource, name] = /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
  const verbs: Readonly<Record<string, string>> = { DELETE: 'delete', PATCH: 'patch', POST: 'create' }
  const verb = verbs[method] ?? (name === undefined ? 'list' : 'get')
  return `${verb} ${resource} in ${namespace}`
}
