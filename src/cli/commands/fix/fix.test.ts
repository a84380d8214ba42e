import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../../test/support/holdfast-cli.ts'
import type { ClusterPlan, RemedyState } from '../../../domain/remedy/index.ts'
import { emptyHead } from '../../../domain/trail/index.ts'
import type { FixOrder, RemedyReport, Roles } from '../../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const hash = 'ab'.repeat(32)
const place = { namespace: 'arc-runners', name: 'linux' }
const runner = {
  kind: 'EphemeralRunner',
  namespace: 'arc-runners',
  name: 'linux-1',
  uid: 'u',
  resourceVersion: '1',
  scaleSet: place,
  forgeScope: 'acme',
  why: 'InvalidPod: refused',
  evidence: [],
} as const
const shared = {
  version: 1,
  program: '0.1.0',
  site: 'test',
  observedAt: 0,
  plannedAt: 0,
  expiresAt: 900_000,
  gates: [],
  skipped: [],
} as const
const plans: Readonly<Record<Exclude<FixOrder['remedy'], 'retry-proof'>, ClusterPlan>> = {
  'failed-runners': {
    ...shared,
    remedy: 'failed-runners',
    scope: { sets: [place], known: [] },
    objects: [runner],
  },
  'listener-blocker': {
    ...shared,
    remedy: 'listener-blocker',
    scope: { sets: [place], known: ['u'] },
    objects: [runner],
  },
  'pull-secrets': {
    ...shared,
    remedy: 'pull-secrets',
    scope: { sets: [place] },
    objects: [
      {
        kind: 'Secret',
        namespace: 'arc-systems',
        name: 'ghcr-pull',
        uid: 'absent',
        resourceVersion: 'absent',
        isMissing: true,
        targetHash: null,
        scaleSet: place,
        listener: { namespace: 'arc-systems', name: 'linux-listener' },
        registry: 'ghcr.io',
        source: { namespace: 'arc-runners', name: 'ghcr-pull', uid: 's', resourceVersion: '1' },
        sourceHash: 'aa',
        why: 'missing',
        evidence: [],
      },
    ],
  },
  'secret-drift': {
    ...shared,
    remedy: 'secret-drift',
    scope: { sets: [place] },
    objects: [
      {
        kind: 'Secret',
        namespace: 'arc-systems',
        name: 'github-app',
        uid: 't',
        resourceVersion: '1',
        scaleSet: place,
        source: { namespace: 'arc-runners', name: 'github-app', uid: 's', resourceVersion: '1' },
        sourceHash: 'github_token=aa',
        targetHash: 'github_token=bb',
        why: 'differs',
        evidence: [],
      },
    ],
  },
  credentials: {
    ...shared,
    remedy: 'credentials',
    scope: { scaleSet: place, appSecret: 'arc-app', listenerNamespace: 'arc-systems' },
    objects: [
      {
        kind: 'Secret',
        namespace: 'arc-systems',
        name: 'arc-app',
        uid: 'absent',
        resourceVersion: 'absent',
        isMissing: true,
        scaleSet: place,
        forgeHost: 'github.com',
        forgeScope: 'acme',
        source: { namespace: 'arc-runners', name: 'arc-app', uid: 's', resourceVersion: '1' },
        sourceHash: 'aa in github_app_id',
        targetHash: null,
        why: 'missing',
        evidence: [],
      },
    ],
  },
  'gitlab-orphans': {
    ...shared,
    remedy: 'gitlab-orphans',
    scope: { namespaces: ['ci'], gitlab: 'https://gitlab.example.com' },
    objects: [
      {
        ...{ kind: 'Pod', namespace: 'ci', name: 'runner-x-project-31-concurrent-0-y' },
        ...{ uid: 'u', resourceVersion: '1', why: 'its manager is gone', evidence: [] },
        job: { host: 'gitlab.example.com', projectId: 31, jobId: 9117 },
      },
    ],
  },
  outdated: {
    ...shared,
    remedy: 'outdated',
    scope: { sets: [place], renewed: ['acme/runner:stable'] },
    objects: [
      { kind: 'AutoscalingRunnerSet', ...place, uid: 'u', resourceVersion: '1', why: 'down', evidence: [] },
    ],
  },
  'stuck-finalizers': {
    ...shared,
    remedy: 'stuck-finalizers',
    scope: { sets: [place], minAgeMs: 300_000 },
    objects: [runner],
  },
  'gitlab-token': {
    ...shared,
    remedy: 'gitlab-token',
    scope: { deployment: place, jobNamespaces: ['ci'] },
    objects: [
      {
        kind: 'Deployment',
        ...place,
        uid: 'd',
        resourceVersion: '1',
        secret: { ...place, uid: 's', resourceVersion: '1' },
        secretKey: 'runner-token',
        runnerId: 31,
        mark: 'm',
        jobNamespaces: ['ci'],
        why: 'stale',
        evidence: [],
      },
    ],
  },
  handoff: {
    ...shared,
    remedy: 'handoff',
    scope: { sets: [place], repository: null, minWaitMs: 300_000, withoutWorker: [] },
    objects: [{ ...runner, next: { repository: 'acme/web', jobId: 42 } }],
  },
}

function fixing(state: RemedyState, run: RemedyReport['run'] = null) {
  const orders: FixOrder[] = []
  const own: Roles = {
    ...roles,
    async fix(_, order) {
      orders.push(order)
      return {
        state,
        plan: plans[order.remedy as keyof typeof plans],
        hash,
        run,
        head: emptyHead,
        store: 'files',
        place: '/data/trail.jsonl',
      }
    },
  }
  return { orders, deps: { roles: own } }
}

const end = (state: RemedyState): RemedyReport['run'] => ({
  state,
  outcome: 'not touched: same-object (uid 2)',
  gates: [{ gate: 'same-object', passed: false, proof: 'uid 2' }],
  treated: [],
})

const orders: readonly [FixOrder['remedy'], readonly string[], object][] = [
  ['listener-blocker', ['--scale-set', 'arc-runners/linux'], { scope: { sets: [place] } }],
  [
    'failed-runners',
    ['--scale-set', 'arc-runners/linux'],
    { scope: { sets: [place], namespaces: null }, controllerNamespace: 'arc-systems' },
  ],
  [
    'pull-secrets',
    ['--all', '--namespace', 'arc-runners'],
    { scope: { sets: null, namespaces: ['arc-runners'] } },
  ],
  ['secret-drift', ['--scale-set', 'arc-runners/linux'], { scope: { sets: [place] } }],
  [
    'credentials',
    ['--scale-set', 'arc-runners/linux', '--app-secret', 'arc-app'],
    { scope: { scaleSet: place, appSecret: 'arc-app' }, controllerNamespace: 'arc-systems' },
  ],
  [
    'gitlab-token',
    ['--deployment', 'ci/gitlab-runner'],
    { scope: { deployment: { namespace: 'ci', name: 'gitlab-runner' }, jobNamespaces: ['ci'] } },
  ],
  [
    'outdated',
    ['--scale-set', 'arc-runners/linux', '--image-renewed', 'acme/runner:stable'],
    { scope: { sets: [place], renewed: ['acme/runner:stable'] } },
  ],
  ['stuck-finalizers', ['--scale-set', 'arc-runners/linux'], { scope: { sets: [place], minAgeMs: 300_000 } }],
  [
    'handoff',
    ['--scale-set', 'arc-runners/linux', '--repository', 'acme/web', '--without-worker', 'linux-1'],
    { scope: { sets: [place], repository: 'acme/web', minWaitMs: 300_000, withoutWorker: ['linux-1'] } },
  ],
  ['gitlab-orphans', ['--namespace', 'ci'], { scope: { namespaces: ['ci'], gitlab: null } }],
]

describe.each(orders)('holdfast fix %s', (name, args, order) => {
  it('shows the plan and the one command that applies it', async () => {
    const { orders, deps } = fixing('planned')
    const { code, out } = await cli.runWith(deps, 'fix', name, ...args)
    expect(code).toBe(0)
    expect(out).toContain('nothing was changed')
    expect(out).toContain(`holdfast fix ${name} --apply ${hash}`)
    expect(orders).toMatchObject([{ remedy: name, apply: null, isUnattended: false, ...order }])
  })

  it('gives one JSON document, with the whole plan', async () => {
    const { out } = await cli.runWith(fixing('planned').deps, 'fix', name, ...args, '--json')
    expect(JSON.parse(out)).toMatchObject({ state: 'planned', hash, plan: { remedy: name } })
  })

  it.each([
    ['blocked', 5],
    ['aborted', 8],
    ['escalated', 7],
    ['done', 0],
  ] as const)('that ends %s has the exit code %d', async (state, expected) => {
    const { orders, deps } = fixing(state, end(state))
    const { code, out } = await cli.runWith(deps, 'fix', name, '--apply', hash)
    expect([code, orders[0]?.apply]).toEqual([expected, hash])
    expect(out).toContain(`head 0:${emptyHead.hash}`)
  })

  it('is not understood without sets, nor with more than a hash to apply', async () => {
    const { orders, deps } = fixing('planned')
    const bare = await cli.runWith(deps, 'fix', name)
    const both = await cli.runWith(deps, 'fix', name, ...args, '--apply', hash)
    expect([bare.code, both.code, orders]).toEqual([2, 2, []])
    expect(bare.err + both.err).toMatch(/name the (?:set|namespace|manager).*--apply stands alone/s)
  })

  it('has help that fits 80 columns', async () => {
    const { out } = await cli.run('fix', name, '--help')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(out).toMatch(/\nExample:\n {2}\$ holdfast fix /)
  })
})

describe('holdfast fix credentials', () => {
  const next =
    'holdfast apply --scale-set arc-runners/linux -- <your command that sets githubConfigSecret to arc-app>'
  const proof = 'holdfast fix credentials --scale-set arc-runners/linux --app-secret arc-app'
  const args = ['fix', 'credentials', '--scale-set', 'arc-runners/linux']

  it.each([
    ['planned', null],
    ['done', end('done')],
  ] as const)('that is %s names what comes after it: your own apply, and the proof', async (state, run) => {
    const { out } = await cli.runWith(fixing(state, run).deps, ...args, '--app-secret', 'arc-app')
    expect(out).toMatch(new RegExp(`After it:\\n  ${next}\\n  ${proof}\\n?`))
  })

  it('that was not done names nothing', async () => {
    const { out } = await cli.runWith(fixing('aborted', end('aborted')).deps, ...args)
    expect(out).not.toContain('After it')
  })

  it('has the Secret that the set names where none is given', async () => {
    const { orders, deps } = fixing('planned')
    await cli.runWith(deps, ...args)
    expect(orders).toMatchObject([{ scope: { appSecret: null } }])
  })

  it.each(['arc-runners/arc-app', '--', 'Ä', '$(id)'])('is not understood with a Secret %s', async (name) => {
    const { orders, deps } = fixing('planned')
    const { code, err } = await cli.runWith(deps, ...args, `--app-secret=${name}`)
    expect([code, orders]).toEqual([2, []])
    expect(err).toContain('expected the name of a Secret, without its namespace')
  })
})

describe('holdfast fix gitlab-orphans, with a GitLab', () => {
  const url = 'https://gitlab.example.com'

  it('asks that GitLab, also when it applies', async () => {
    const { orders, deps } = fixing('planned')
    const { out } = await cli.runWith(
      deps,
      'fix',
      'gitlab-orphans',
      '--namespace',
      'ci',
      '--gitlab-url',
      `${url}/`,
    )
    await cli.runWith(deps, 'fix', 'gitlab-orphans', '--apply', hash, '--gitlab-url', url)
    const scope = { gitlab: url }
    expect(orders).toMatchObject([
      { apply: null, scope },
      { apply: hash, scope },
    ])
    expect(out).toContain(`--apply ${hash} --gitlab-url ${url}`)
  })

  it.each([
    ['a token in the address', 'https://x:glpat-y@gitlab.example.com', 2, /without a name or a token/],
    ['no address', 'gitlab', 3, /gitlab\.url.*an http or https URL/s],
    ['another protocol', 'file:///etc/passwd', 3, /gitlab\.url.*an http or https URL/s],
  ] as const)('is not understood with %s', async (_, address, exitCode, why) => {
    const { orders, deps } = fixing('planned')
    const args = ['fix', 'gitlab-orphans', '--namespace', 'ci', '--gitlab-url', address]
    const { code, err } = await cli.runWith(deps, ...args)
    expect([code, orders]).toEqual([exitCode, []])
    expect(err).toMatch(why)
    expect(err).not.toContain('glpat-y')
  })
})
