import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { redacted } from '../../domain/redact/index.ts'
import { secrets } from '../../domain/redact/testing/corpus.ts'
import { encodeSnapshot } from '../file/format.ts'
import { clusterThat, collecting, forgeThat, orderOfAll } from '../testing/collecting.ts'
import { plantedCluster, plantedForge } from '../testing/planted.ts'
import { collectSnapshot } from './collect.ts'

const never = new AbortController().signal

/** The file of a fleet whose every text field says this. */
async function fileWith(text: string, args = [text]): Promise<string> {
  const cluster = plantedCluster(text)
  const [deployment] = cluster.deployments.items
  const deployments = { ...cluster.deployments, items: deployment ? [{ ...deployment, args }] : [] }
  const deps = collecting({
    cluster: clusterThat({ ...cluster, deployments }),
    forge: forgeThat(plantedForge(text)),
  })
  const unread = { what: text, why: text, needs: text }
  const snapshot = await collectSnapshot({ ...orderOfAll, ownPools: unread }, deps, never)
  return gunzipSync(encodeSnapshot(snapshot, 'a.gz')).toString()
}

describe('secrets in every text field of every object', () => {
  it('are looked for where they are: each field of the planted fleet reaches the file', async () => {
    const file = await fileWith('an ordinary text')
    expect(file.split('an ordinary text').length - 1).toBeGreaterThan(200)
  })

  it.each(secrets)('%s is not in the file', async (_, text, secret) => {
    const file = await fileWith(text)
    expect(file).not.toContain(secret)
    expect(file).toContain(redacted)
  })

  it('that the settings name are not in the file', async () => {
    expect(await fileWith('it said s3cr3t-of-the-settings aloud')).not.toContain('s3cr3t-of-the-settings')
  })

  it('are not in the file as the argument behind a flag', async () => {
    const file = await fileWith('text', ['--update-strategy', 'eventual', '--github-token', 'plain-word'])
    expect(file).toContain('"args":["--update-strategy","eventual","--github-token","[redacted]"]')
  })
})

describe('a name that marks its value as secret', () => {
  it('hides the value of an annotation and of an environment variable, and no other', async () => {
    const planted = plantedCluster('text')
    const [pod] = planted.pods.items
    if (pod === undefined) throw new Error('there is a pod')
    const env = { name: 'ATTIC_TOKEN', value: 'plain-word', from: 'value', ref: null } as const
    const container = { ...pod.containers[0], env: [env, { ...env, name: 'ATTIC_SERVER' }] }
    const changed = {
      ...pod,
      annotations: { 'example.org/api-token': 'plain-word', 'example.org/note': 'plain-word' },
      containers: [container as (typeof pod.containers)[number]],
      imagePullSecrets: ['plain-word'],
    }
    const deps = collecting({
      cluster: clusterThat({ ...planted, pods: { ...planted.pods, items: [changed] } }),
    })
    const { pods } = (await collectSnapshot(orderOfAll, deps, never)).cluster
    expect(pods.items[0]).toMatchObject({
      annotations: { 'example.org/api-token': redacted, 'example.org/note': 'plain-word' },
      containers: [{ env: [{ value: redacted }, { value: 'plain-word' }] }],
      imagePullSecrets: ['plain-word'],
    })
  })
})
