import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import {
  createCluster,
  createDeclaredPools,
  findConnection,
  type Cluster as Ours,
} from '../../src/adapters/kubernetes/index.ts'
import { parseRunnerPool } from '../../src/api/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import { KeptLog } from '../../src/platform/lifecycle/fakes.ts'
import type { PoolStatus } from '../../src/ports/declared-pools.ts'
import { type Cluster, up } from './index.ts'
import { wrongPools } from './pools/wrong-pools.ts'
import { suiteName } from './testing/names.ts'

const never = new AbortController().signal
const soon = { timeout: 60_000, interval: 100 }
const root = fileURLToPath(new URL('../..', import.meta.url))
const definition = path.join(root, 'deploy/crds/holdfast.dev_runnerpools.yaml')
const poolsPath = '/apis/holdfast.dev/v1alpha1/namespaces/default/runnerpools'
const definitionPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/runnerpools.holdfast.dev'
const mergePatch = 'application/merge-patch+json'
const least = { labels: ['linux'], image: 'runner:1' }

const status: PoolStatus = {
  observedGeneration: 1,
  queued: 7,
  idle: 1,
  busy: 2,
  starting: 0,
  leaving: 0,
  desired: 3,
  conditions: [
    { type: 'Ready', isTrue: false, reason: 'ImagePull', message: 'The image runner:1 cannot be had.' },
    { type: 'Progressing', isTrue: true, reason: 'Starting', message: 'One runner starts.' },
  ],
}

describe('RunnerPools on a real API server', () => {
  let real: Cluster
  let ours: Ours
  beforeAll(async () => {
    real = await up({ name: suiteName('pools') }, (line) => console.log(line))
    const log = new KeptLog()
    const [clock, entropy] = [createClock(), createEntropy()]
    const connection = await findConnection({ kubeconfig: real.kubeconfig, env: {}, clock, log })
    ours = createCluster({ connection, clock, entropy, log })
    await kubectl('apply', '--filename', definition)
    await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd/runnerpools.holdfast.dev')
  })
  afterAll(async () => {
    await ours?.close()
    await real?.[Symbol.asyncDispose]()
  })

  async function kubectl(...args: string[]): Promise<string> {
    const program = path.join(real.place.folder, 'kubectl')
    return (await promisify(execFile)(program, ['--kubeconfig', real.kubeconfig, ...args])).stdout
  }
  const pool = (name: string, spec: object, metadata: object = {}) => ({
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name, ...metadata },
    spec,
  })
  const create = (name: string, spec: object = least, metadata: object = {}) =>
    real.api.request('POST', `${poolsPath}?fieldValidation=Strict`, pool(name, spec, metadata))
  const read = async (name: string) => (await real.api.request('GET', `${poolsPath}/${name}`)).body

  /** Our side of it, until the test ends. */
  async function declaredPools() {
    const pools = createDeclaredPools({
      cluster: ours,
      namespace: 'default',
      writer: () => ours.writer,
      parse: parseRunnerPool,
      clock: createClock(),
      log: new KeptLog(),
    })
    const stop = new AbortController()
    const running = pools.run(stop.signal)
    onTestFinished(async () => {
      stop.abort()
      await running
    })
    await pools.whole(never)
    const find = async (name: string) => (await pools.list()).find((each) => each.name === name)
    const one = async (name: string) => {
      await expect.poll(() => find(name), soon).toBeDefined()
      return (await find(name)) as NonNullable<Awaited<ReturnType<typeof find>>>
    }
    return { pools, find, one }
  }

  it('are defined without a complaint, and the definition can be replaced by kubectl', async () => {
    const conditions = async () => (await real.api.request('GET', definitionPath)).body.status.conditions
    await expect
      .poll(conditions, soon)
      .toEqual(expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]))
    expect(await conditions()).not.toContainEqual(
      expect.objectContaining({ type: 'NonStructuralSchema', status: 'True' }),
    )
    const { spec, ...rest } = parse(await readFile(definition, 'utf8'))
    spec.versions[0].schema.openAPIV3Schema.properties.spec.description = 'A newer one.'
    const file = path.join(real.place.folder, 'newer-runnerpools.json')
    await writeFile(file, JSON.stringify({ ...rest, spec }))
    expect(await kubectl('apply', '--filename', file)).toContain('configured')
    await kubectl('apply', '--filename', definition)
  })

  it('get every default from the API server, the same as ours', async () => {
    expect(await create('defaults')).toMatchObject({ status: 201 })
    const { spec } = await read('defaults')
    expect(spec).toMatchObject({
      minWarm: 1,
      maxRunners: 4,
      shape: 'isolated',
      idleTimeoutSeconds: 60,
      stopGraceSeconds: 60,
      provisioning: { maxStartingPerNode: 10, startDeadlineSeconds: 300, unschedulableDeadlineSeconds: 600 },
      evidence: { tailLines: 200, tailBytes: 65_536, deadlineSeconds: 60 },
    })
    expect(parseRunnerPool('defaults', spec)).toEqual(parseRunnerPool('defaults', least))
  })

  it('are taken as the example declares them', async () => {
    await kubectl('apply', '--filename', path.join(root, 'deploy/examples/runnerpool.yaml'))
    const { pools, one } = await declaredPools()
    expect((await one('linux')).declared).toMatchObject({ kind: 'pool', pool: { maxRunners: 50 } })
    expect(pools.plan('linux')?.template).toMatchObject({ spec: { containers: [{ name: 'runner' }] } })
  })

  it.each(wrongPools)('refuse $title, and say what to write', async ({ spec, says }) => {
    const answer = await create('wrong', spec)
    expect(answer.status).toBe(422)
    for (const words of says) expect(answer.body.message).toContain(words)
    expect(parseRunnerPool('wrong', JSON.parse(JSON.stringify(spec))).kind).toBe('wrong')
  })

  it('refuse a name that does not leave room for those of runners', async () => {
    expect(await create('a'.repeat(40))).toMatchObject({ status: 201 })
    for (const name of ['a'.repeat(41), 'with.dots']) {
      const answer = await create(name)
      expect(answer.status).toBe(422)
      expect(answer.body.message).toContain('lower-case letters, digits and inner hyphens, at most 40')
    }
  })

  it('refuse a field that is not there, or drop it where the sender wants that', async () => {
    const strict = await create('unknown', { ...least, minWarn: 2 })
    expect(strict.status).toBe(400)
    expect(strict.body.message).toContain('unknown field "spec.minWarn"')
    await real.api.request(
      'POST',
      `${poolsPath}?fieldValidation=Warn`,
      pool('unknown', { ...least, minWarn: 2 }),
    )
    expect((await read('unknown')).spec).not.toHaveProperty('minWarn')
  })

  it('say on themselves what the API server could not see', async () => {
    const warmWindows = [{ cron: '0 17-9 * * *', durationMinutes: 60, minWarm: 1 }]
    expect(await create('unseen', { ...least, warmWindows })).toMatchObject({ status: 201 })
    const containers = [{ name: 'runner', $patch: 'delete' }]
    await create('takes-away', { ...least, template: { spec: { containers } } })
    const { one } = await declaredPools()
    expect((await one('unseen')).declared).toEqual({
      kind: 'wrong',
      problems: [
        'spec.warmWindows[0].cron: got "0 17-9 * * *", expected a range of the hour that goes upwards, not "17-9"',
      ],
    })
    expect((await one('takes-away')).declared).toMatchObject({
      kind: 'wrong',
      problems: [expect.stringContaining('expected no $patch')],
    })
  })

  it('do not bring us more than we read: an annotation of 1 MB is refused, and one of 250 KB is not kept', async () => {
    const annotations = (bytes: number) => ({ annotations: { note: 'x'.repeat(bytes) } })
    const large = await create('noted', least, annotations(1024 * 1024))
    expect(large.status).toBe(422)
    expect(large.body.message).toContain('metadata.annotations: Too long')
    expect(await create('noted', least, annotations(250_000))).toMatchObject({ status: 201 })
    const { pools, one } = await declaredPools()
    expect((await one('noted')).declared.kind).toBe('pool')
    await pools.report(await one('noted'), status, never)
    expect((await read('noted')).metadata.annotations.note).toHaveLength(250_000)
  })

  it('show how they fare, and put it right where somebody edited it', async () => {
    await create('shown')
    const { pools, one } = await declaredPools()
    await pools.report(await one('shown'), status, never)
    const written = (await read('shown')).status
    expect(written).toMatchObject({ busy: 2, conditions: [{ type: 'Ready' }, { type: 'Progressing' }] })
    const table = await kubectl('get', 'rp', 'shown')
    expect(table.split('\n').map((line) => line.trim().split(/\s+/).slice(0, 7))).toEqual([
      ['NAME', 'READY', 'REASON', 'QUEUED', 'IDLE', 'BUSY', 'MAX'],
      ['shown', 'False', 'ImagePull', '7', '1', '2', '4'],
      [''],
    ])
    const changed = new Promise<void>((resolve) => onTestFinished(pools.onChange(resolve)))
    const forged = written.conditions.map((each: object) => ({ ...each, status: 'True', message: 'Fine.' }))
    const edit = { status: { busy: 99, conditions: forged } }
    expect(await real.api.request('PATCH', `${poolsPath}/shown/status`, edit, mergePatch)).toMatchObject({
      status: 200,
    })
    await changed
    await expect
      .poll(async () => {
        await pools.report(await one('shown'), status, never)
        return (await read('shown')).status
      }, soon)
      .toEqual(written)
    const version = (await read('shown')).metadata.resourceVersion
    await pools.report(await one('shown'), status, never)
    expect((await read('shown')).metadata.resourceVersion).toBe(version)
  })

  it('stay when they are deleted, until they are released', async () => {
    await create('leaving')
    const { pools, find, one } = await declaredPools()
    await pools.report(await one('leaving'), status, never)
    await real.api.request('DELETE', `${poolsPath}/leaving`)
    await expect.poll(async () => (await one('leaving')).isLeaving, soon).toBe(true)
    expect((await read('leaving')).metadata.deletionTimestamp).toBeDefined()
    await pools.release(await one('leaving'), never)
    await expect.poll(() => find('leaving'), soon).toBeUndefined()
  })

  it('are reported in Events that kubectl describe shows, counted', async () => {
    await create('reported')
    const { pools, one } = await declaredPools()
    await one('reported')
    const report = () =>
      pools.recordEvent({
        about: { kind: 'pool', name: 'reported' },
        type: 'Warning',
        reason: 'ImagePull',
        message: 'The image runner:1 cannot be had.',
        at: Date.now(),
      })
    report()
    const described = () => kubectl('describe', 'rp', 'reported')
    await expect.poll(described, soon).toMatch(/Warning +ImagePull .*The image runner:1 cannot be had/)
    report()
    report()
    await expect.poll(described, soon).toMatch(/Warning +ImagePull .*x3/)
  })
})
