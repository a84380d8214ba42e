import { describe, expect, it } from 'vitest'
import {
  contaminatedWorld,
  createHostWorld,
  type HostWorld,
} from '../../../test/support/workdirs/host-world.ts'
import type { HostPlan, WorkdirPlan } from '../../domain/remedy/index.ts'
import type { FolderMode } from '../../domain/workdir/index.ts'
import {
  applyPlan,
  planService,
  planWorkdir,
  serviceTreatment,
  untilIdle,
  workdirTreatment,
} from '../index.ts'

const never = new AbortController().signal
const plan = (world: HostWorld, mode: FolderMode = 'remove', folder = 'web') =>
  planWorkdir({ folder, mode }, world.deps, never)
const apply = (world: HostWorld, approved: WorkdirPlan) =>
  applyPlan(workdirTreatment(world.deps), approved, world.deps, never)
const control = (world: HostWorld, verb: 'start' | 'stop', approved: HostPlan) =>
  applyPlan(serviceTreatment(verb, world.deps), approved, world.deps, never)
const intact = ['api', 'api/api', 'api/api/kept', 'web', 'web/web', 'web/web/dist', 'web/web/dist/app.js']

describe('workdir remediate', () => {
  it('plans first and changes nothing, then empties exactly that folder and proves it', async () => {
    const world = await contaminatedWorld()
    const planned = await plan(world)
    expect(planned).toMatchObject({
      state: 'planned',
      plan: {
        scope: { host: 'honey-am-2', folder: 'web' },
        objects: [{ blocking: { count: 1, paths: ['web/web/dist'] }, target: { mode: 'remove' } }],
      },
    })
    expect(await world.twin.list()).toEqual(intact)
    expect(await apply(world, planned.plan)).toMatchObject({ state: 'done', treated: ['honey-am-2/web'] })
    expect(await world.twin.list()).toEqual(['api', 'api/api', 'api/api/kept', 'web'])
    expect(world.steps().slice(-5)).toEqual(['approved', 're-checked', 'acted', 'verified', 'done'])
    expect(await apply(world, planned.plan)).toMatchObject({ state: 'blocked' })
  })

  it('has nothing to do where the folder is in order', async () => {
    const world = await contaminatedWorld()
    expect(await plan(world, 'remove', 'api')).toMatchObject({
      state: 'observed',
      plan: { objects: [], skipped: [{ name: 'api', why: 'it is in order' }] },
    })
  })

  it('hides secrets that a job put into the names of its folders', async () => {
    const world = createHostWorld()
    const secret = `ghp_${'a1B2'.repeat(9)}`
    await world.twin.directory(`web/web/${secret}`, { uid: 0 })
    const { state, plan: made } = await plan(world)
    expect(state).toBe('planned')
    expect(JSON.stringify(made)).not.toContain(secret)
  })

  it.each<[string, (world: HostWorld) => unknown, RegExp]>([
    ['its Listener runs', ({ twin }) => twin.start('Runner.Listener', 'here'), /drained/],
    ['a Worker is at work', ({ twin }) => twin.start('Runner.Worker', 'here'), /no-worker/],
    ['a Worker may be of it', ({ twin }) => twin.start('Runner.Worker', 'unknown'), /no-worker/],
    ['two folders are contaminated', ({ twin }) => twin.directory('api/x', { uid: 0 }), /replace the host/],
    [
      'its host key is not known',
      (world) => Object.assign(world, { failingLooks: 9 }),
      /host-reachable.*key/,
    ],
    ['its work folder is a symlink', ({ twin }) => twin.linkWorkFolder('folder'), /folder-known/],
    ['its root leads over a symlink', overSymlink, /inside-root.*symlink/],
    ['the folder is another file system', otherDevice, /one-file-system/],
    ['the account lacks the rights', (world) => changed(world, { readerUid: 1001 }), /rights.*takes root/],
    ['processes are hidden', (world) => changed(world, { areProcessesWhole: false }), /no-worker/],
    ['not everything was seen', (world) => changed(world, { cuts: ['too many'] }), /too many/],
  ])('is blocked where %s', async (_, change, why) => {
    const world = await contaminatedWorld()
    await change(world)
    const { state, plan: made } = await plan(world)
    const failed = made.gates.filter(({ passed }) => !passed).map(({ gate, proof }) => `${gate}: ${proof}`)
    expect({ state, objects: made.objects }).toEqual({ state: 'blocked', objects: [] })
    expect(failed.join('; ')).toMatch(why)
    expect(world.twin.acted).toEqual([])
  })

  it('unlocks only directories that are the runner’s own', async () => {
    const world = await contaminatedWorld()
    expect((await plan(world, 'unlock')).state).toBe('blocked')
    const locked = createHostWorld()
    await locked.twin.directory('web/web/mod', { mode: 0o555 })
    await locked.twin.file('web/web/mod/a')
    const planned = await plan(locked, 'unlock')
    expect(await apply(locked, planned.plan)).toMatchObject({ state: 'done' })
    expect(await locked.twin.list()).toHaveLength(4)
    expect(await locked.twin.modeOf('web/web/mod')).toBe(0o755)
  })

  it.each<[string, (world: HostWorld) => unknown, RegExp]>([
    ['the folder is another one', ({ twin }) => twin.replace('web'), /same-folder/],
    ['the root is another one', ({ twin }) => twin.replace(''), /same-folder/],
    ['an owner changed', ({ twin }) => twin.file('web/web/b', { uid: 7 }), /same-folder/],
    ['another folder changed', ({ twin }) => twin.file('api/api/new'), /same-folder/],
    ['another folder is contaminated', ({ twin }) => twin.directory('api/x', { uid: 0 }), /replace the host/],
    ['a Worker is at work', ({ twin }) => twin.start('Runner.Worker', 'here'), /no-worker/],
    ['its Listener runs', ({ twin }) => twin.start('Runner.Listener', 'here'), /drained/],
    ['it cannot be read', (world) => Object.assign(world, { failingLooks: 9 }), /could not be read/],
  ])('is aborted where after the plan %s', async (_, change, why) => {
    const world = await contaminatedWorld()
    const planned = await plan(world)
    await change(world)
    const report = await apply(world, planned.plan)
    expect(report).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(why), treated: [] })
    expect(world.twin.acted).toEqual([])
  })

  it.each<[string, (world: HostWorld) => unknown, RegExp]>([
    ['a Worker starts', ({ twin }) => twin.start('Runner.Worker', 'here'), /not done: .*Runner\.Worker/],
    ['the Listener starts', ({ twin }) => twin.start('Runner.Listener', 'here'), /not done: .*Listener/],
    ['the folder is exchanged', ({ twin }) => twin.replace('web'), /not done: conflict/],
    ['it becomes a symlink', ({ twin }) => twin.link('web'), /not done: .*symlink/],
  ])('is aborted by the host itself where %s between re-check and act', async (_, change, why) => {
    const world = await contaminatedWorld()
    const planned = await plan(world)
    const report = await applyPlan(beforeAct(world, change), planned.plan, world.deps, never)
    expect(report).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(why) })
    expect(world.twin.acted).toEqual([])
  })

  it('takes a lost answer for done only where the folder is empty, and never repeats it', async () => {
    const done = await contaminatedWorld()
    const { plan: first } = await plan(done)
    done.loseNext = 'after'
    expect(await apply(done, first)).toMatchObject({ state: 'done' })
    expect(done.twin.acted).toEqual(['remove web'])
    const lost = await contaminatedWorld()
    const { plan: second } = await plan(lost)
    lost.loseNext = 'before'
    expect(await apply(lost, second)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/not done; not repeated/),
    })
    expect(lost.twin.acted).toEqual([])
  })

  it.each<[string, (world: HostWorld) => unknown, RegExp]>([
    ['a Worker appears', ({ twin }) => twin.start('Runner.Worker', 'here'), /no-worker/],
    ['another folder changes', ({ twin }) => twin.file('api/api/new', { uid: 0 }), /others-unchanged/],
    ['something is left', ({ twin }) => twin.file('web/left'), /folder-clean/],
  ])('is escalated where %s after the act', async (_, change, why) => {
    const world = await contaminatedWorld()
    const planned = await plan(world)
    const treatment = workdirTreatment(world.deps)
    const changing: typeof treatment = {
      ...treatment,
      async act(...given) {
        const answer = await treatment.act(...given)
        await change(world)
        return answer
      },
    }
    const report = await applyPlan(changing, planned.plan, world.deps, never)
    expect(report).toMatchObject({ state: 'escalated', outcome: expect.stringMatching(why) })
  })
})

describe('host drain and start', () => {
  it('drains an idle host, and starts it when its folders are in order', async () => {
    const world = await contaminatedWorld()
    await world.twin.start('Runner.Listener', 'here')
    const drain = await planService('stop', world.deps, never)
    expect([drain.state, world.twin.acted]).toEqual(['planned', []])
    expect(await control(world, 'stop', drain.plan)).toMatchObject({ state: 'done' })
    expect(await planService('stop', world.deps, never)).toMatchObject({ state: 'observed' })
    expect(await planService('start', world.deps, never)).toMatchObject({
      state: 'blocked',
      plan: { gates: expect.arrayContaining([expect.objectContaining({ gate: 'clean', passed: false })]) },
    })
    await apply(world, (await plan(world)).plan)
    const start = await planService('start', world.deps, never)
    expect(await control(world, 'start', start.plan)).toMatchObject({ state: 'done' })
    expect(world.twin.acted).toEqual(['stop', 'remove web', 'start'])
  })

  it('does not drain while a Worker is at work, and waits for its end only as long as it is asked to', async () => {
    const world = await contaminatedWorld()
    await world.twin.start('Runner.Listener', 'here')
    const worker = await world.twin.start('Runner.Worker', 'here')
    expect(await planService('stop', world.deps, never)).toMatchObject({ state: 'blocked' })
    const from = world.now
    await untilIdle(world.deps, 60_000, never)
    expect(world.now - from).toBeLessThanOrEqual(60_000)
    expect(await planService('stop', world.deps, never)).toMatchObject({ state: 'blocked' })
    world.disturb = () => {
      if (world.now > from + 70_000) world.twin.end(worker)
    }
    await untilIdle(world.deps, 60_000, never)
    expect(await planService('stop', world.deps, never)).toMatchObject({ state: 'planned' })
  })

  it('does not stop a host whose Worker starts after the plan, nor another Listener', async () => {
    const world = await contaminatedWorld()
    const listener = await world.twin.start('Runner.Listener', 'here')
    const { plan: made } = await planService('stop', world.deps, never)
    const worker = await world.twin.start('Runner.Worker', 'here')
    expect(await control(world, 'stop', made)).toMatchObject({ state: 'aborted' })
    world.twin.end(worker)
    world.now += 1_000
    const { plan: again } = await planService('stop', world.deps, never)
    world.twin.end(listener)
    await world.twin.start('Runner.Listener', 'here')
    expect(await control(world, 'stop', again)).toMatchObject({
      state: 'aborted',
      outcome: expect.stringMatching(/same-host/),
    })
    expect(world.twin.acted).toEqual([])
  })

  it('is blocked where the service is not declared', async () => {
    const world = await contaminatedWorld()
    await world.twin.start('Runner.Listener', 'here')
    const deps = { ...world.deps, host: { ...world.deps.host, service: null } }
    const { state, plan: made } = await planService('stop', deps, never)
    expect(state).toBe('blocked')
    expect(made.gates).toContainEqual(expect.objectContaining({ gate: 'service-declared', passed: false }))
  })

  it('calls a person where the service starts and no Listener appears', async () => {
    const world = createHostWorld()
    await world.twin.file('web/web/a')
    await world.twin.installService('own')
    const { plan: made } = await planService('start', world.deps, never)
    const treatment = serviceTreatment('start', world.deps)
    const silent: typeof treatment = { ...treatment, act: async () => 'done' }
    expect(await applyPlan(silent, made, world.deps, never)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/listening/),
    })
  })
})

/** The treatment in a world that changes right before its act. */
function beforeAct(world: HostWorld, change: (world: HostWorld) => unknown) {
  const treatment = workdirTreatment(world.deps)
  const changing: typeof treatment = {
    ...treatment,
    async act(...given) {
      await change(world)
      return treatment.act(...given)
    },
  }
  return changing
}

/** Every look shows other facts than the twin has. */
function changed(world: HostWorld, given: object): void {
  const { look } = world.twin.hosts
  Object.assign(world.twin.hosts, {
    look: async (...asked: Parameters<typeof look>) => {
      const reading = await look(...asked)
      return reading.kind === 'read' ? { ...reading, facts: { ...reading.facts, ...given } } : reading
    },
  })
}

function overSymlink(world: HostWorld): void {
  const root = { id: '1:1', path: '/data/honey' }
  changed(world, { folder: { kind: 'folder', uid: 1001, id: '1:2', root } })
}

function otherDevice(world: HostWorld): void {
  changed(world, {
    top: [{ name: 'web', kind: 'directory', id: '7:7', changed: '1', isEmpty: false }],
  })
}
