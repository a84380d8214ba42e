import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { CONFIG_ENV, settingList } from '../../src/platform/config/index.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// biome-ignore lint/suspicious/noExplicitAny: manifests as they stand
type Json = any
const documentsOf = (file: string): Json[] =>
  parseAllDocuments(readFileSync(path.join(root, file), 'utf8')).map((document) => document.toJS())

describe('deploy/holdfast.yaml', () => {
  const objects = documentsOf('deploy/holdfast.yaml')
  const [pod] = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec)
  const [container] = pod.containers

  it.each(['Role', 'ClusterRole'])('gives the same rights in its %s as deploy/rbac.yaml', (kind) => {
    const rulesIn = (all: Json[]) => all.find((object) => object.kind === kind)?.rules
    expect(rulesIn(objects)).toEqual(rulesIn(documentsOf('deploy/rbac.yaml')))
  })

  it('sets only what is a setting', () => {
    const known = [CONFIG_ENV, ...settingList().map(({ env }) => env)]
    const named = container.env
      .map(({ name }: Json) => name)
      .filter((name: string) => /^HOLDFAST_/.test(name))
    expect(named.filter((name: string) => !known.includes(name))).toEqual([])
    expect(named).not.toEqual([])
  })

  it('gives every secret that replicas share by reference, and none by value', () => {
    const secrets = settingList().filter(({ secret }) => secret === true)
    const given = container.env.filter(({ name }: Json) => secrets.some(({ env }) => env === name))
    expect(given.map(({ name }: Json) => name).toSorted()).toEqual([
      'HOLDFAST_DATABASE_URL',
      'HOLDFAST_HTTP_OPERATOR_TOKEN',
      'HOLDFAST_KEYS_RING',
    ])
    for (const { name, value, valueFrom } of given) {
      expect(value, name).toBeUndefined()
      expect(valueFrom.secretKeyRef.name, name).toBe('holdfast')
    }
  })

  it('gives a replica more time to end than it takes for itself', () => {
    const bound = settingList().find(({ path: setting }) => setting === 'shutdown.boundMs')
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(bound?.schema.parse(undefined)))
  })

  it('keeps runners apart from Holdfast', () => {
    const env = Object.fromEntries(container.env.map(({ name, value }: Json) => [name, value]))
    const home = objects.find(({ kind }) => kind === 'Deployment').metadata.namespace
    expect(env.HOLDFAST_FLEET_NAMESPACE).not.toBe(home)
    expect(objects.find(({ kind }) => kind === 'Role').metadata.namespace).toBe(env.HOLDFAST_FLEET_NAMESPACE)
  })
})
