import { describe, expect, it } from 'vitest'
import { parseRunner, parseRunnerSet } from './arc-runner.ts'
import { parseListener, parseScaleSet } from './arc-set.ts'
import { cursorOf, ShapeProblem } from './cursor.ts'
import { createMask } from './mask.ts'

const at = (value: unknown) => cursorOf(value, createMask())
const scaleSetLabels = {
  'actions.github.com/scale-set-name': 'linux',
  'actions.github.com/scale-set-namespace': 'arc-runners',
}

function meta(name: string, given: object = {}) {
  return {
    name,
    namespace: 'arc-runners',
    uid: `uid-${name}`,
    resourceVersion: '7',
    creationTimestamp: '2026-06-01T02:00:00Z',
    ...given,
  }
}

const podSpec = { containers: [{ name: 'runner', image: 'ghcr.io/actions/actions-runner:2.331.0' }] }

function scaleSet(annotations: object, spec: object = {}, status?: object) {
  const metadata = meta('linux', { annotations, labels: { 'app.kubernetes.io/version': '0.14.2' } })
  return { metadata, spec: { template: { spec: podSpec }, ...spec }, ...(status && { status }) }
}

describe('an AutoscalingRunnerSet', () => {
  it('of the single-set layout is known by its integrity hash', () => {
    const annotations = { 'actions.github.com/integrity-hash': 'b7', 'runner-scale-set-id': '104' }
    const fact = parseScaleSet(at(scaleSet(annotations, {}, { phase: 'Running', currentRunners: 5 })))
    expect(fact).toMatchObject({
      isSingleSetLayout: true,
      specHash: 'b7',
      forgeScaleSetId: '104',
      phase: 'Running',
      reportedRunners: 5,
      createdAt: Date.UTC(2026, 5, 1, 2),
      template: { containers: [{ name: 'runner' }] },
    })
  })

  it('of 0.14 has a change hash and a phase, of 0.12 neither and perhaps no status', () => {
    const newer = parseScaleSet(
      at(scaleSet({ 'actions.github.com/change-hash': '78' }, {}, { phase: 'Pending' })),
    )
    expect(newer).toMatchObject({ isSingleSetLayout: false, specHash: '78', phase: 'Pending' })
    expect(parseScaleSet(at(scaleSet({})))).toMatchObject({
      isSingleSetLayout: false,
      specHash: null,
      phase: null,
      forgeScaleSetId: null,
      reportedRunners: null,
      minRunners: 0,
      maxRunners: null,
    })
  })

  it('is reached by its name and by its labels, each once', () => {
    expect(parseScaleSet(at(scaleSet({}))).runnerLabels).toEqual(['linux'])
    const named = { runnerScaleSetName: 'big', runnerScaleSetLabels: ['gpu', 'big'] }
    expect(parseScaleSet(at(scaleSet({}, named))).runnerLabels).toEqual(['big', 'gpu'])
  })

  it('names a Secret only where its credential is in one', () => {
    const spec = { githubConfigSecret: 'app', githubConfigUrl: 'https://x:hunter2hunter2@github.com/acme' }
    expect(parseScaleSet(at(scaleSet({}, spec)))).toMatchObject({
      credentialSecret: 'app',
      configUrl: expect.not.stringContaining('hunter2'),
    })
  })

  it('names an entry of the vault where it has one (ARC 0.12 and later)', () => {
    const azureKeyVault = {
      url: 'https://acme.vault.example',
      tenantId: 't',
      clientId: 'c',
      certificatePath: '/c',
    }
    const vaultConfig = { type: 'azure_key_vault', azureKeyVault }
    const vaulted = parseScaleSet(at(scaleSet({}, { githubConfigSecret: 'app', vaultConfig })))
    expect(vaulted).toMatchObject({
      credentialSecret: null,
      credentialVault: { type: 'azure_key_vault', address: 'https://acme.vault.example', entry: 'app' },
    })
  })

  it('names a Secret where the vault has no type: ARC looks for one', () => {
    for (const vaultConfig of [{}, { type: '' }])
      expect(parseScaleSet(at(scaleSet({}, { githubConfigSecret: 'app', vaultConfig })))).toMatchObject({
        credentialSecret: 'app',
        credentialVault: null,
      })
  })
})

describe('an AutoscalingListener', () => {
  const spec = {
    autoscalingRunnerSetName: 'linux',
    autoscalingRunnerSetNamespace: 'arc-runners',
    ephemeralRunnerSetName: 'linux-22p4l',
    image: 'controller:0.14.2',
    imagePullSecrets: [{ name: 'ghcr-pull' }],
  }

  it('names its set and generation', () => {
    expect(parseListener(at({ metadata: meta('l'), spec: { ...spec, maxRunners: 10 } }))).toMatchObject({
      scaleSet: { namespace: 'arc-runners', name: 'linux' },
      runnerSetName: 'linux-22p4l',
      maxRunners: 10,
      imagePullSecrets: ['ghcr-pull'],
    })
  })

  it('with the largest number has no maximum, without a number has none to start', () => {
    const max = (maxRunners?: number) =>
      parseListener(at({ metadata: meta('l'), spec: { ...spec, maxRunners } })).maxRunners
    expect([max(2_147_483_647), max()]).toEqual([null, 0])
  })
})

describe('an EphemeralRunnerSet', () => {
  const ownerReferences = [
    { kind: 'AutoscalingRunnerSet', name: 'linux', uid: 'uid-linux', controller: true },
  ]
  const spec = { ephemeralRunnerSpec: { spec: podSpec } }

  it('scaled to zero has zeros where the API leaves them out', () => {
    const metadata = meta('linux-a', {
      ownerReferences,
      annotations: { 'actions.github.com/runner-spec-hash': '58' },
    })
    expect(parseRunnerSet(at({ metadata, spec, status: { currentReplicas: 0 } }))).toMatchObject({
      scaleSet: { namespace: 'arc-runners', name: 'linux' },
      specHash: '58',
      replicas: 0,
      patchId: 0,
      phase: null,
      images: { runner: 'ghcr.io/actions/actions-runner:2.331.0' },
      reported: { current: 0, pending: 0, running: 0, failed: 0 },
    })
  })

  it('without a status reports nothing', () => {
    const metadata = meta('linux', { labels: scaleSetLabels })
    expect(parseRunnerSet(at({ metadata, spec: { ...spec, replicas: 3 } }))).toMatchObject({
      scaleSet: { namespace: 'arc-runners', name: 'linux' },
      replicas: 3,
      reported: null,
    })
  })
})

describe('an EphemeralRunner', () => {
  const ownerReferences = [
    { kind: 'EphemeralRunnerSet', name: 'linux-a', uid: 'uid-linux-a', controller: true },
  ]
  const runner = (status?: object) => ({
    metadata: meta('linux-a-runner-1', { labels: scaleSetLabels, ownerReferences }),
    spec: { spec: podSpec },
    ...(status && { status }),
  })

  it('has a job in every release, with a number up to 0.12 and an id from 0.13 on', () => {
    const old = { phase: 'Running', ready: true, runnerId: 107, jobRequestId: 18, workflowRunId: 3 }
    expect(parseRunner(at(runner(old)))).toMatchObject({
      runnerSet: { name: 'linux-a', uid: 'uid-linux-a' },
      isReady: true,
      forgeRunnerId: 107,
      job: { requestId: '18', id: null, runId: 3 },
    })
    expect(parseRunner(at(runner({ ...old, jobId: 'job-1' }))).job).toMatchObject({ id: 'job-1' })
  })

  it('without one, and without a status, has none', () => {
    expect(parseRunner(at(runner({ phase: 'Running' }))).job).toBeNull()
    expect(parseRunner(at(runner()))).toMatchObject({
      phase: null,
      job: null,
      failures: [],
      isReady: false,
      forgeRunnerId: null,
    })
  })

  it('notes failures by pod, oldest first, whether or not its release notes their times', () => {
    const failures = { new: '2026-06-01T02:02:00Z', old: '2026-06-01T02:01:00Z' }
    expect(parseRunner(at(runner({ failures }))).failures.map(({ podUid }) => podUid)).toEqual(['old', 'new'])
    expect(parseRunner(at(runner({ failures: { a: true } }))).failures).toEqual([{ podUid: 'a', at: null }])
  })

  it('never gives its configuration away', () => {
    const fact = parseRunner(at(runner({ phase: 'Running', runnerJITConfig: 'the-jit-of-it' })))
    expect(JSON.stringify(fact)).not.toContain('the-jit-of-it')
  })

  it.each([
    { phase: 7 },
    { ready: 'yes' },
    { runnerId: '107' },
    { jobRequestId: -1 },
    { failures: [] },
    'Running',
  ])('with fields of other types is not read: %j', (status) => {
    expect(() => parseRunner(at(runner(status as object)))).toThrow(ShapeProblem)
  })
})
