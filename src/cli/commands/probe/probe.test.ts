import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../../test/support/holdfast-cli.ts'
import type { ProbeCleanPlan, ProbeKind, ProbePlan, ProbeVerdict } from '../../../domain/remedy/index.ts'
import { emptyHead } from '../../../domain/trail/index.ts'
import type { ProbeReport, ProbeWish, Roles } from '../../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const hash = 'ab'.repeat(32)
const set = { namespace: 'arc-runners', name: 'linux' }
const shared = {
  version: 1,
  ...{ program: '0.1.0', site: 'test', observedAt: 0, plannedAt: 0, expiresAt: 900_000 },
  ...{ gates: [], skipped: [] },
} as const

function planOf(kind: ProbeKind): ProbePlan {
  const scope = { set, node: null, registry: null, deadlineSeconds: 300 }
  const name = `holdfast-probe-${kind}`
  const env = [{ name: 'ATTIC_SERVER', from: 'secret', ref: 'attic' }] as const
  return {
    ...shared,
    remedy: `probe-${kind}`,
    scope,
    objects: [
      {
        ...{
          kind: 'Pod',
          asks: kind,
          namespace: 'arc-runners',
          name,
          uid: 'absent',
          resourceVersion: 'absent',
        },
        ...{ probeId: 'a1', scaleSet: { ...set, uid: 'u', generation: 1 }, image: 'acme/runner:1' },
        ...{ imagePullSecrets: ['ghcr-pull'], env, node: null, registry: null, deadlineSeconds: 300 },
        ...{ why: 'asks', evidence: [] },
      },
    ],
  }
}

const cleaning: ProbeCleanPlan = {
  ...shared,
  remedy: 'probe-clean',
  scope: { namespaces: ['arc-runners'], probeId: null },
  objects: [],
}

function probing(given: Partial<ProbeReport> = {}) {
  const wishes: ProbeWish[] = []
  const own: Roles = {
    ...roles,
    async probe(_, wish) {
      wishes.push(wish)
      const of = 'plan' in wish.act ? wish.act.plan : wish.act.of
      const plan = of === 'clean' ? cleaning : planOf(of)
      const base = { state: 'planned', plan, hash, run: null, verdict: null, isPodGone: true } as const
      return { ...base, head: emptyHead, place: '/data/trail.jsonl', ...given }
    },
  }
  return { wishes, deps: { roles: own } }
}

const verdict: ProbeVerdict = {
  ...{ outcome: 'refused', isGood: false, confidence: 'proven', class: 'credential-invalid' },
  ...{ summary: 'The registry refuses.', evidence: ['401'], mustNotConclude: ['capacity'] },
}
const run: ProbeReport['run'] = { state: 'done', outcome: 'answered', gates: [], treated: ['a/b'] }

describe.each(['nix-cache', 'npm-tls', 'image-pull'] as const)('holdfast probe %s', (kind) => {
  const registry = kind === 'npm-tls' ? ['--registry', 'npm.example.com'] : []
  const lane = ['--scale-set', 'arc-runners/linux', ...registry]

  it('shows the plan, what the pod gets by reference, and the one command that applies it', async () => {
    const { wishes, deps } = probing()
    const { code, out } = await cli.runWith(deps, 'probe', kind, ...lane)
    expect(code).toBe(0)
    expect(out).toContain('nothing was changed')
    expect(out).toContain('variable ATTIC_SERVER: by reference to secret attic')
    expect(out).toContain(`holdfast probe ${kind} --apply ${hash}`)
    expect(wishes).toMatchObject([{ act: { plan: kind, scope: { set, deadlineSeconds: 300 } } }])
  })

  it.each([
    [{ ...verdict, outcome: 'pulled', isGood: true }, true, 'done', 0],
    [verdict, true, 'done', 1],
    [{ ...verdict, outcome: 'unknown', confidence: 'unknown' }, true, 'done', 9],
    [verdict, false, 'done', 7],
    [null, true, 'aborted', 8],
    [null, true, 'blocked', 5],
    [null, true, 'escalated', 7],
  ] as const)(
    'with the answer %o, pod gone %s, ended %s has the exit code %d',
    async (answer, isPodGone, state, code) => {
      const { deps } = probing({ state, run: { ...run, state }, verdict: answer, isPodGone })
      const ran = await cli.runWith(deps, 'probe', kind, '--apply', hash)
      expect(ran.code).toBe(code)
      expect(ran.out.includes('A pod is left')).toBe(!isPodGone)
    },
  )

  it('gives one JSON document, with the answer', async () => {
    const { deps } = probing({ state: 'done', run, verdict })
    const { out } = await cli.runWith(deps, 'probe', kind, '--apply', hash, '--json')
    expect(JSON.parse(out)).toMatchObject({ verdict: { outcome: 'refused', class: 'credential-invalid' } })
  })

  it('is not understood without a lane, with a wrong one, nor with more than a hash to apply', async () => {
    const { wishes, deps } = probing()
    const wrong = [
      [],
      ['--scale-set', 'linux'],
      [...lane, '--apply', hash],
      ['--deadline-seconds', '5', ...lane],
    ]
    for (const args of wrong) expect((await cli.runWith(deps, 'probe', kind, ...args)).code).toBe(2)
    expect(wishes).toEqual([])
  })

  it('has help that fits 80 columns', async () => {
    const { out } = await cli.run('probe', kind, '--help')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(out).toMatch(/\nExample:\n {2}\$ holdfast probe /)
  })
})

it('holdfast probe npm-tls takes the host of a registry, and no option or path in its place', async () => {
  const { wishes, deps } = probing()
  const lane = ['probe', 'npm-tls', '--scale-set', 'arc-runners/linux']
  const bare = await cli.runWith(deps, ...lane)
  expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('--registry <host[:port]>')])
  await cli.runWith(deps, ...lane, '--registry', 'npm.example.com:8443')
  for (const host of ['-x', 'a b', 'https://a', 'a;id', 'a:b'])
    expect((await cli.runWith(deps, ...lane, `--registry=${host}`)).code).toBe(2)
  const asked = wishes.map(({ act }) => ('scope' in act ? act.scope.registry : null))
  expect(asked).toEqual(['npm.example.com:8443'])
})

it('holdfast probe image-pull takes a node by its name', async () => {
  const { wishes, deps } = probing()
  const lane = ['probe', 'image-pull', '--scale-set', 'arc-runners/linux']
  await cli.runWith(deps, ...lane, '--node', 'cold-7')
  expect((await cli.runWith(deps, ...lane, '--node', '../x')).code).toBe(2)
  expect(wishes).toMatchObject([{ act: { scope: { node: 'cold-7' } } }])
})

it('holdfast probe clean asks for a namespace, and says that nothing is left', async () => {
  const { wishes, deps } = probing({ state: 'observed' })
  expect((await cli.runWith(deps, 'probe', 'clean')).code).toBe(2)
  const { code, out } = await cli.runWith(deps, 'probe', 'clean', '--namespace', 'arc-runners')
  expect([code, out.trim()]).toEqual([0, 'No probe left a pod whose time is over.'])
  expect(wishes).toMatchObject([{ act: { plan: 'clean', namespaces: ['arc-runners'] } }])
})
