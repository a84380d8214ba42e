import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { contaminatedWorld, type HostWorld } from '../../../test/support/workdirs/host-world.ts'
import { workdirReconcileSchema } from '../../api/index.ts'
import type { RemedyState } from '../../domain/remedy/index.ts'
import { emptyHead } from '../../domain/trail/index.ts'
import { planService, planWorkdir } from '../../remedy/index.ts'
import type { HostOrder, HostTreated, Roles } from '../deps.ts'

const contract = `version: 1
runnerHosts:
  - { name: honey-am-2, root: /srv/honey-am-2, service: { kind: svc.sh } }
  - { name: honey-am-3, root: /srv/honey-am-3 }
`
const hash = 'ab'.repeat(32)
const never = new AbortController().signal

let cli: CliBench
let world: HostWorld
let orders: HostOrder[]
beforeEach(async () => {
  cli = await createCliBench()
  world = await contaminatedWorld()
  orders = []
})
afterEach(() => cli.close())

function run(given: Partial<Roles>, ...args: string[]) {
  const lookAtRunnerHost: Roles['lookAtRunnerHost'] = async (host, signal) =>
    host.name === 'honey-am-2'
      ? world.twin.hosts.look(host, signal)
      : { kind: 'unreachable', why: 'refused', needs: null }
  const readFile = (file: string) => (file === 'c.yaml' ? contract : undefined)
  return cli.runWith({ readFile, roles: { ...roles, lookAtRunnerHost, treatHost, ...given } }, ...args)
}

const treatHost: Roles['treatHost'] = async (_, order) => {
  orders.push(order)
  const { wish } = order
  const made =
    wish.remedy === 'workdir-remediate'
      ? await planWorkdir(wish, world.deps, never)
      : await planService(wish.remedy === 'host-drain' ? 'stop' : 'start', world.deps, never)
  return { ...made, hash, run: null, head: emptyHead, place: 'trail.jsonl' }
}

const ended = (state: RemedyState): Pick<Roles, 'treatHost'> => ({
  async treatHost(config, order, signal): Promise<HostTreated> {
    const planned = await treatHost(config, order, signal)
    const gates = [{ gate: 'no-worker', passed: false, proof: 'Runner.Worker 7' }]
    return { ...planned, state, run: { state, outcome: 'not touched', gates, treated: [] } }
  },
})

const reconcile = (...args: string[]) => run({}, 'workdir', 'reconcile', '--contract', 'c.yaml', ...args)
const nextOf = async (...args: string[]) => {
  const { code, out } = await reconcile('--host', 'honey-am-2', '--json', ...args)
  const [host] = workdirReconcileSchema.parse(JSON.parse(out)).hosts
  return { code, kind: host?.next.kind, command: host?.next.command }
}

describe('holdfast workdir reconcile', () => {
  it('leads from drain over remediate to start, and then has nothing to do', async () => {
    const listener = await world.twin.start('Runner.Listener', 'here')
    const rest = '--contract c.yaml'
    expect(await nextOf()).toEqual({
      code: 1,
      kind: 'drain',
      command: `holdfast host drain honey-am-2 ${rest}`,
    })
    world.twin.end(listener)
    expect(await nextOf()).toEqual({
      code: 1,
      kind: 'remediate',
      command: `holdfast workdir remediate honey-am-2 web ${rest}`,
    })
    await world.twin.directory('web/web/dist', { uid: 1001 })
    await world.twin.file('web/web/dist/app.js', { uid: 1001 })
    expect(await nextOf()).toEqual({
      code: 1,
      kind: 'start',
      command: `holdfast host start honey-am-2 ${rest}`,
    })
    await world.twin.start('Runner.Listener', 'here')
    expect(await nextOf()).toEqual({ code: 0, kind: 'none', command: null })
    expect(world.twin.acted).toEqual([])
  })

  it('calls a person where several folders are contaminated, and judges nothing while a Worker is at work', async () => {
    await world.twin.directory('api/api/x', { uid: 0 })
    expect(await nextOf()).toEqual({ code: 1, kind: 'person', command: null })
    expect((await reconcile()).out).toContain('web cannot be emptied: replace the host')
    await world.twin.start('Runner.Worker', 'here')
    expect(await nextOf()).toMatchObject({ code: 2, kind: 'look-again' })
  })

  it('shows all hosts, also those that do not answer', async () => {
    const { code, out } = await reconcile()
    expect(code).toBe(1)
    expect(out).toMatch(/honey-am-2 +contaminated +yes +remediate\nhoney-am-3 +unreachable +\? +person/)
    expect(out).toContain('Nothing was changed.')
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  })
})

describe('holdfast workdir remediate', () => {
  const remediate = (given: Partial<Roles>, ...args: string[]) =>
    run(given, 'workdir', 'remediate', ...args, '--contract', 'c.yaml')

  it('shows the plan, its paths, and the whole command that applies it', async () => {
    const { code, out } = await remediate({}, 'honey-am-2', 'web')
    expect(code).toBe(0)
    expect(out).toContain('A dry run: nothing was changed.')
    expect(out).toContain('\n    web/web/dist\n')
    expect(out).toContain(
      `holdfast workdir remediate honey-am-2 web --contract c.yaml --confirm-drained --apply ${hash}`,
    )
    expect(orders).toMatchObject([{ wish: { folder: 'web', mode: 'remove' }, apply: null }])
  })

  it('gives the hash and the mode on as they are', async () => {
    await remediate({}, 'honey-am-2', 'web', '--mode', 'unlock')
    await remediate({}, 'honey-am-2', 'web', '--apply', hash, '--confirm-drained')
    expect(orders).toMatchObject([{ wish: { mode: 'unlock' } }, { apply: hash }])
  })

  it.each<[RemedyState, number]>([
    ['done', 0],
    ['blocked', 5],
    ['escalated', 7],
    ['aborted', 8],
  ])('ends %s with %i', async (state, expected) => {
    const { code, out } = await remediate(
      ended(state),
      'honey-am-2',
      'web',
      '--apply',
      hash,
      '--confirm-drained',
    )
    expect(code).toBe(expected)
    expect(out).toContain('failed no-worker: Runner.Worker 7')
  })

  it('ends with 5 and says why where a gate fails', async () => {
    await world.twin.start('Runner.Listener', 'here')
    const { code, out } = await remediate({}, 'honey-am-2', 'web')
    expect(code).toBe(5)
    expect(out).toMatch(/^Blocked, nothing can be planned:\n {2}drained: .*drain the host first/)
  })

  it.each([
    [['honey-am-2', 'web', '--apply', hash], /needs --confirm-drained/],
    [['honey-am-2', 'web', '--confirm-drained'], /belongs to --apply/],
    [['honey-am-2', 'web', '--apply', hash, '--confirm-drained', '--mode', 'unlock'], /stands alone/],
    [['honey-am-2', 'web', '--mode', 'burn'], /burn/],
    [['honey-am-2', '../etc'], /expected the name of a repository’s folder/],
    [['honey-am-2', '_temp'], /expected the name of a repository’s folder/],
    [['honey-am-2', '$(reboot)'], /expected the name of a repository’s folder/],
    [['-oProxyCommand=id', 'web'], /unknown option/],
    [['honey; reboot', 'web'], /no host honey; reboot is declared/],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await remediate({}, ...args)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) })
    expect(orders).toEqual([])
  })
})

describe('holdfast host', () => {
  it('plans drain and start, and waits only where it is asked to', async () => {
    await world.twin.start('Runner.Listener', 'here')
    const { code, out } = await run({}, 'host', 'drain', 'honey-am-2', '--contract', 'c.yaml', '--wait', '60')
    expect(code).toBe(0)
    expect(out).toContain(`holdfast host drain honey-am-2 --contract c.yaml --apply ${hash}`)
    const start = await run({}, 'host', 'start', 'honey-am-2', '--contract', 'c.yaml')
    expect(start).toMatchObject({ code: 0, out: expect.stringMatching(/^Nothing to do\.\n.*runs already/) })
    expect(orders).toMatchObject([
      { wish: { remedy: 'host-drain' }, waitMs: 60_000 },
      { wish: { remedy: 'host-start' }, waitMs: 0 },
    ])
  })

  it.each([
    [['drain', 'honey', '--contract', 'c.yaml'], /no host honey is declared/],
    [['drain', 'honey-am-2'], /with --contract/],
    [['drain', 'honey-am-2', '--contract', 'c.yaml', '--wait', '9999'], /from 1 to 3600/],
    [['start', 'honey-am-2', '--contract', 'c.yaml', '--wait', '9'], /unknown option/],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run({}, 'host', ...args)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) })
  })
})
