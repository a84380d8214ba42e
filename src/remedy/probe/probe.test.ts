import { describe, expect, it } from 'vitest'
import type { ProbeKind } from '../../domain/remedy/index.ts'
import { applyPlan } from '../apply.ts'
import { ended, ProbeWorld } from '../testing/probe-world.ts'
import { place } from '../testing/world.ts'
import { applyProbe } from './apply-probe.ts'
import { planProbeClean, probeCleanTreatment } from './clean.ts'
import { planProbe } from './plan-probe.ts'

const never = new AbortController().signal
const scope = { set: place, node: null, registry: null, deadlineSeconds: 60 }

async function planned(world: ProbeWorld, kind: ProbeKind = 'nix-cache', probeId = 'a1') {
  return planProbe({ kind, scope, probeId }, world.deps(), never)
}

async function applied(world: ProbeWorld, kind: ProbeKind = 'nix-cache', signal = never) {
  const { plan } = await planned(world, kind)
  return applyProbe(kind, plan, world.deps(), signal)
}

function steps(world: ProbeWorld): readonly string[] {
  return world.trail.kept.map(({ remedy, step }) => `${remedy} ${step}`)
}

describe('a plan of a probe', () => {
  it('names the lane, its image, its pull secrets and variables, and changes nothing', async () => {
    const world = new ProbeWorld()
    const { state, plan } = await planned(world)
    expect(state).toBe('planned')
    expect(plan.objects).toMatchObject([
      {
        name: 'holdfast-probe-nix-cache',
        namespace: 'arc-runners',
        uid: 'absent',
        image: 'ghcr.io/acme/runner:1',
        imagePullSecrets: ['ghcr-pull'],
        scaleSet: { name: 'linux', generation: 3 },
      },
    ])
    expect(world.made).toEqual([])
  })

  it('of a lane that is not there, or that cannot be read, is blocked', async () => {
    const world = new ProbeWorld()
    world.lane = null
    expect((await planned(world)).state).toBe('blocked')
    const away = new ProbeWorld()
    away.failures = 1
    expect((await planned(away)).state).toBe('blocked')
  })

  it('is not made while a pod has the name, and says what removes it', async () => {
    const world = new ProbeWorld()
    world.put('nix-cache', 'older')
    const { state, plan } = await planned(world)
    expect([state, plan.objects]).toEqual(['observed', []])
    expect(plan.skipped[0]?.why).toMatch(/name-free: .*holdfast probe clean/)
  })
})

describe('a probe that is applied', () => {
  it('asks, notes the answer, and removes its pod by a run of its own', async () => {
    const world = new ProbeWorld()
    const { run, verdict, isPodGone } = await applied(world)
    expect([run.state, verdict?.outcome, isPodGone]).toEqual(['done', 'reachable', true])
    expect([world.made.length, world.pods.size]).toEqual([1, 0])
    expect(steps(world).slice(-7)).toEqual([
      ...['classified', 'evidence-sealed', 'planned', 'approved', 're-checked', 'acted', 'verified', 'done']
        .map((step) => `probe-clean ${step}`)
        .slice(1),
    ])
    const answer = world.trail.kept.find(
      ({ remedy, step }) => remedy === 'probe-nix-cache' && step === 'verified',
    )
    expect(answer?.gates[0]?.proof).toMatch(/^reachable \(likely\)/)
    expect(world.kept).toHaveLength(1)
  })

  it('makes no second pod for one approval', async () => {
    const world = new ProbeWorld()
    const { plan } = await planned(world)
    await applyProbe('nix-cache', plan, world.deps(), never)
    const again = await applyProbe('nix-cache', plan, world.deps(), never)
    expect([again.run.state, world.made.length]).toEqual(['blocked', 1])
  })

  it('is not made where the lane got another spec', async () => {
    const world = new ProbeWorld()
    const { plan } = await planned(world)
    if (world.lane !== null) world.lane = { ...world.lane, generation: 4 }
    const { run } = await applyProbe('nix-cache', plan, world.deps(), never)
    expect([run.state, world.made]).toEqual(['aborted', []])
    expect(run.outcome).toContain('same-lane')
  })

  it('whose answer was lost is known by its id, and removed', async () => {
    const world = new ProbeWorld()
    const { plan } = await planned(world)
    world.loseNextAnswer = 'after'
    const { run, isPodGone } = await applyProbe('nix-cache', plan, world.deps(), never)
    expect([run.state, isPodGone, world.made.length, world.pods.size]).toEqual(['done', true, 1, 0])
  })

  it('that nobody answers is unknown at its deadline, and its pod is removed', async () => {
    const world = new ProbeWorld()
    world.answer = null
    const { run, verdict, isPodGone } = await applied(world)
    expect([run.state, verdict?.outcome, isPodGone]).toEqual(['done', 'unknown', true])
    expect(verdict?.summary).toContain('within 60 s')
    expect(world.now - (world.trail.kept[0]?.at ?? 0)).toBeLessThan(90_000)
  })

  it('that is interrupted removes its pod all the same', async () => {
    const world = new ProbeWorld()
    world.answer = null
    const interrupted = new AbortController()
    const { plan } = await planned(world)
    world.disturb = () => {
      if (world.made.length > 0) interrupted.abort()
    }
    const { run, isPodGone } = await applyProbe('nix-cache', plan, world.deps(), interrupted.signal)
    expect([run.state, isPodGone, world.pods.size]).toEqual(['escalated', true, 0])
  })

  it('removes its pod also where the API server was away for a moment, and where the kubelet writes meanwhile', async () => {
    const world = new ProbeWorld()
    const { plan } = await planned(world)
    const remove = world.probes.remove
    let calls = 0
    const probes = {
      ...world.probes,
      remove: async (...given: Parameters<typeof remove>) => {
        calls += 1
        if (calls === 1) world.failures = 4
        if (calls < 4) world.write('holdfast-probe-nix-cache')
        return remove(...given)
      },
    }
    const { isPodGone } = await applyProbe('nix-cache', plan, { ...world.deps(), probes }, never)
    expect([isPodGone, world.pods.size]).toEqual([true, 0])
    expect(calls).toBeGreaterThan(3)
  })

  it('says where its pod is left', async () => {
    const world = new ProbeWorld()
    const deps = world.deps()
    const probes = { ...world.probes, remove: async () => 'conflict' as const }
    const { plan } = await planned(world)
    const { isPodGone } = await applyProbe('nix-cache', plan, { ...deps, probes }, never)
    expect([isPodGone, world.pods.size]).toEqual([false, 1])
  })

  it('removes its pod where the trail cannot be written after it was made, as far as that can be', async () => {
    const world = new ProbeWorld()
    const { plan } = await planned(world)
    const deps = world.deps()
    let failing = true
    const append: typeof deps.trail.append = async (entry) => {
      if (failing && entry.step === 'acted') {
        failing = false
        throw new Error('the disk is full')
      }
      return world.trail.append(entry)
    }
    const trail = { ...world.trail, append }
    await expect(applyProbe('nix-cache', plan, { ...deps, trail }, never)).rejects.toThrow('disk is full')
    expect([world.made.length, world.pods.size]).toEqual([1, 0])
  })
})

describe('a pod that a killed probe left', () => {
  it('stays while its time is not over: somebody may wait for it', async () => {
    const world = new ProbeWorld()
    world.put('image-pull', 'older', 60)
    world.now += 89_000
    const { state, plan } = await planProbeClean(
      { namespaces: ['arc-runners'], probeId: null },
      world.deps(),
      never,
    )
    expect([state, plan.objects]).toEqual(['observed', []])
    expect(plan.skipped[0]?.why).toContain('no-longer-needed')
  })

  it('goes by `probe clean` after it', async () => {
    const world = new ProbeWorld()
    world.put('image-pull', 'older', 60)
    world.now += 91_000
    const deps = world.deps()
    const { plan } = await planProbeClean({ namespaces: ['arc-runners'], probeId: null }, deps, never)
    const { state } = await applyPlan(probeCleanTreatment(deps), plan, deps, never)
    expect([state, world.pods.size]).toEqual(['done', 0])
  })

  it('goes with the next probe, of whatever kind', async () => {
    const world = new ProbeWorld()
    world.put('image-pull', 'older', 60)
    world.now += 91_000
    const { isPodGone } = await applied(world)
    expect([isPodGone, world.pods.size, world.removed]).toEqual([true, 0, ['uid-1', 'uid-2']])
  })

  it('is left alone where it has not the marks of a probe, whatever its name and age', async () => {
    for (const given of [
      { labels: {} },
      { annotations: {} },
      { owner: { kind: 'Job', name: 'j', uid: 'u' } },
    ]) {
      const world = new ProbeWorld()
      world.put('image-pull', 'older', 60)
      world.write('holdfast-probe-image-pull', given)
      world.now += 24 * 3_600_000
      const { plan } = await planProbeClean(
        { namespaces: ['arc-runners'], probeId: null },
        world.deps(),
        never,
      )
      expect(plan.skipped[0]?.why).toContain('pod-of-a-probe')
    }
  })
})

it('the answer of another program than ours is bounded and masked', async () => {
  const world = new ProbeWorld()
  world.answer = ended(`server=${'x'.repeat(5_000)}\n${'noise\n'.repeat(500)}`)
  const { verdict } = await applied(world)
  expect(verdict?.outcome).toBe('unknown')
  expect(Math.max(...(verdict?.evidence ?? []).map(({ length }) => length))).toBeLessThanOrEqual(200)
})
