import { spawnSync } from 'node:child_process'
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

const settingNames = [CONFIG_ENV, ...settingList().map(({ env }) => env)]
const boundMs = Number(
  settingList()
    .find(({ path: setting }) => setting === 'shutdown.boundMs')
    ?.schema.parse(undefined),
)

describe('deploy/compose.yaml', () => {
  const text = readFileSync(path.join(root, 'deploy/compose.yaml'), 'utf8')
  const [compose] = documentsOf('deploy/compose.yaml')
  const { holdfast, postgres } = compose.services

  it('sets only what is a setting, also in what it suggests', () => {
    const named = [...text.matchAll(/\bHOLDFAST_[A-Z_]+[A-Z]/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((name) => !settingNames.includes(name))).toEqual([])
  })

  it('has no secret in it, and gives each by a file that is declared', () => {
    const declared = Object.keys(compose.secrets)
    for (const { secrets } of [holdfast, postgres])
      for (const name of secrets) expect(declared).toContain(name)
    expect(holdfast.environment.HOLDFAST_HTTP_OPERATOR_TOKEN).toBe('file:/run/secrets/operator-token')
    expect(postgres.environment).not.toHaveProperty('POSTGRES_PASSWORD')
  })

  it('builds from the Dockerfile that is there, and lets Holdfast end by itself', () => {
    expect(readFileSync(path.join(root, holdfast.build.dockerfile), 'utf8')).toContain('ENTRYPOINT')
    expect(Number.parseInt(holdfast.stop_grace_period, 10) * 1_000).toBeGreaterThan(boundMs)
  })
})

describe('deploy/systemd/holdfast.service', () => {
  const file = path.join(root, 'deploy/systemd/holdfast.service')
  const text = readFileSync(file, 'utf8')
  const valuesOf = (key: string) =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)

  it('sets only what is a setting, and lets runners have groups, users and their own end', () => {
    const named = valuesOf('Environment').flatMap((value) => /^(HOLDFAST_\w+)=/.exec(value ?? '')?.[1] ?? [])
    expect(named.filter((name) => !settingNames.includes(name))).toEqual([])
    expect(valuesOf('Delegate')).toEqual(['yes'])
    expect(valuesOf('KillMode')).toEqual(['process'])
    expect(valuesOf('OOMPolicy')).toEqual(['continue'])
    expect(valuesOf('ProtectControlGroups')).toEqual(['no'])
    expect(valuesOf('CapabilityBoundingSet')[0]).toMatch(/CAP_SETUID.*CAP_KILL/)
    expect(Number(valuesOf('TimeoutStopSec')[0]) * 1_000).toBeGreaterThan(boundMs)
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!hasSystemd) console.warn('NOT TRIED, what systemd says of the unit: systemd-analyze is not there')
  it.skipIf(!hasSystemd)('is understood by systemd, but for the program that stands elsewhere here', () => {
    const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    const said = stderr.split('\n').filter((line) => /holdfast\.service/.test(line))
    expect(said.filter((line) => !line.includes('is not executable'))).toEqual([])
  })
})
