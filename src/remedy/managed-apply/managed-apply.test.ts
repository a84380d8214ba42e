import { describe, expect, it } from 'vitest'
import type { ApplyRecord } from '../../domain/remedy/managed-apply/index.ts'
import { never, order, workingWorld } from '../testing/apply-world.ts'
import { abortApply, beginApply, resumeApply } from './index.ts'

const recorded = { minRunners: 2, maxRunners: 10, mark: null }

describe('a managed apply', () => {
  it('freezes, runs the command, gives the caps back, settles and proves', async () => {
    const world = workingWorld()
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect([record.outcome, record.state]).toEqual([expect.stringContaining('no job lost'), 'done'])
    expect(world.caps.current).toEqual(recorded)
    expect(world.commandTicks).toHaveLength(1)
    expect(world.lostJobs).toEqual([])
    expect(world.generations.map(({ name }) => name)).toEqual(['linux-gen2'])
    expect([...new Set(world.applyRows.map(({ step }) => step))]).toEqual([
      'canary',
      'quiesce-scope',
      'reap-idle',
      'cap-freeze',
      'apply',
      'cap-restore',
      'settle-reap-stale',
      'prove-listener-cap',
      'done',
    ])
  })

  it('freezes at no runner at all before the command, so that none starts and idle ones go', async () => {
    const world = workingWorld()
    const deps = world.applyDeps()
    let seen: unknown
    const commands = {
      ...world.commands,
      run: (async (given, signal) => {
        seen = [{ ...world.caps.current }, [...world.runners.keys()]]
        return world.commands.run(given, signal)
      }) satisfies typeof world.commands.run,
    }
    const { record } = await beginApply(order, { ...deps, commands }, never)
    expect(seen).toEqual([{ minRunners: 0, maxRunners: 0, mark: record.id }, ['r3']])
  })

  it('keeps no argument of the command, in no record and no row', async () => {
    const world = workingWorld()
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect(record.command.summary).toBe('helm upgrade (4 arguments)')
    expect(JSON.stringify([...world.kept.values(), world.trail.kept, world.progress])).not.toContain(
      'secret-word',
    )
  })

  it.each([
    ['its maximum', { maxRunners: 20 }, { minRunners: 2, maxRunners: 20 }],
    ['both', { minRunners: 5, maxRunners: 20 }, { minRunners: 5, maxRunners: 20 }],
    ['its minimum away', { minRunners: null }, { minRunners: null, maxRunners: 10 }],
    ['a maximum below the old minimum', { minRunners: 0, maxRunners: 1 }, { minRunners: 0, maxRunners: 1 }],
  ])('lets the caps of the new source stand: %s', async (_, caps, expected) => {
    const world = workingWorld()
    world.effect = { ...world.effect, caps }
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect([record.state, world.caps.current]).toEqual(['done', { ...expected, mark: null }])
  })

  it('takes a zero for the freeze’s own, unless the operator says that the source wants it', async () => {
    for (const isZeroWanted of [false, true]) {
      const world = workingWorld()
      world.effect = { ...world.effect, caps: { minRunners: 0, maxRunners: 0 } }
      await beginApply({ ...order, isZeroWanted }, world.applyDeps(), never)
      expect(world.caps.current.maxRunners).toBe(isZeroWanted ? 0 : 10)
    }
  })

  it.each([
    { kind: 'exited', code: 3 },
    { kind: 'timed-out', afterMs: 1 },
    { kind: 'not-started', reason: 'ENOENT' },
  ] as const)('gives the caps back where the command fails: %j', async (end) => {
    const world = workingWorld()
    world.effect = { image: null, caps: {}, end }
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect([record.state, world.caps.current]).toEqual(['failed', recorded])
  })

  it('waits for a busy runner of the old generation, and escalates where it takes too long', async () => {
    const world = workingWorld()
    world.jobsEndAt = null
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect([record.state, record.outcome]).toEqual(['escalated', expect.stringContaining('1 of them busy')])
    expect([world.caps.current, [...world.runners.keys()], world.lostJobs]).toEqual([recorded, ['r3'], []])
  })

  it('reaps idle runners of the old generation that ARC left', async () => {
    const world = workingWorld()
    const deps = world.applyDeps()
    const commands = {
      ...world.commands,
      run: (async (given, signal) => {
        world.addRunner('left', { images: { runner: 'old' } })
        return world.commands.run(given, signal)
      }) satisfies typeof world.commands.run,
    }
    const { record } = await beginApply(order, { ...deps, commands }, never)
    expect([record.state, world.acts.map(({ name }) => name)]).toEqual(['done', ['left']])
  })

  it('is interrupted before the command: nothing was run, and the caps are back', async () => {
    const world = workingWorld()
    const stop = new AbortController()
    world.disturb = () => {
      if (world.caps.current.mark !== null) stop.abort()
    }
    const { record } = await beginApply(order, world.applyDeps(), stop.signal)
    expect([record.state, world.commandTicks, world.caps.current]).toEqual(['aborted', [], recorded])
  })
})

describe('the canary', () => {
  it.each([
    ['a second generation', (world: ReturnType<typeof workingWorld>) => world.rollOut('runner:2')],
    [
      'no listener',
      (world: ReturnType<typeof workingWorld>) => void Object.assign(world, { isListenerUp: false }),
    ],
    ['caps on their way', (world: ReturnType<typeof workingWorld>) => world.caps.write({ maxRunners: 4 })],
    ['a freeze of another', (world: ReturnType<typeof workingWorld>) => world.caps.write({ mark: 'x' })],
    [
      'no answer',
      (world: ReturnType<typeof workingWorld>) => void Object.assign(world, { clusterFailures: 1 }),
    ],
  ])('refuses a set with %s, and changes nothing', async (_, change) => {
    const world = workingWorld()
    change(world)
    const before = world.caps.current
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect([record.state, world.caps.current, world.commandTicks, world.acts]).toEqual([
      'refused',
      before,
      [],
      [],
    ])
  })
})

describe('somebody else', () => {
  it('who changes the cap before the freeze stops the apply, and the change stands', async () => {
    const world = workingWorld()
    world.disturb = () => {
      if (world.firstRecordTick !== null && world.caps.current.maxRunners === 10)
        world.caps.write({ maxRunners: 7 })
    }
    const { record } = await beginApply(order, world.applyDeps(), never)
    expect([record.state, world.commandTicks, world.caps.current]).toEqual([
      'aborted',
      [],
      { ...recorded, maxRunners: 7 },
    ])
  })
})

/** An apply that was killed in this state. */
async function killedIn(state: ApplyRecord['state'], world = workingWorld()) {
  const deps = world.applyDeps()
  let isDead = false
  const records = {
    ...deps.records,
    write: async (record: ApplyRecord) => {
      if (isDead) throw new Error('killed')
      await deps.records.write(record)
      isDead = record.state === state
    },
  }
  world.disturb = () => {
    if (isDead) throw new Error('killed')
  }
  await beginApply(order, { ...deps, records }, never).catch(() => {})
  world.disturb = () => {}
  const [record] = [...world.kept.values()]
  expect(record?.state).toBe(state)
  return world
}

describe('an apply that was killed', () => {
  it('refuses another on the same sets, and says which it is', async () => {
    const world = await killedIn('cap-freeze')
    await expect(beginApply(order, world.applyDeps(), never)).rejects.toMatchObject({
      code: 'E_APPLY_UNFINISHED',
      params: { id: 'apply-1' },
    })
  })

  it('while its command ran asks how it ended, and never runs it again by itself', async () => {
    const world = await killedIn('apply')
    const resumed = { id: null, word: null, argv: order.argv }
    await expect(resumeApply(resumed, world.applyDeps(), never)).rejects.toMatchObject({
      code: 'E_APPLY_ASKS',
    })
    expect([world.commandTicks, world.caps.current.maxRunners]).toEqual([[], 0])
    const { record } = await resumeApply({ ...resumed, word: 'rerun' }, world.applyDeps(), never)
    expect([record.state, world.commandTicks.length, world.caps.current]).toEqual(['done', 1, recorded])
  })

  it('goes on without running it where the operator says that it is done', async () => {
    const world = await killedIn('apply')
    world.rollOut('runner:2')
    const given = { id: 'apply-1', word: 'done', argv: null } as const
    const { record } = await resumeApply(given, world.applyDeps(), never)
    expect([record.state, world.commandTicks, world.caps.current]).toEqual(['done', [], recorded])
  })

  it('before its command wants it again, since no record has it', async () => {
    const world = await killedIn('reap-idle')
    const given = { id: null, word: null, argv: null } as const
    await expect(resumeApply(given, world.applyDeps(), never)).rejects.toMatchObject({
      code: 'E_APPLY_COMMAND',
    })
    const { record } = await resumeApply({ ...given, argv: order.argv }, world.applyDeps(), never)
    expect(record.state).toBe('done')
  })

  it('whose command still runs is neither resumed nor aborted', async () => {
    const world = await killedIn('apply')
    const [record] = [...world.kept.values()] as [ApplyRecord]
    const process = { pid: 7, startedAt: '1', bootId: 'b' }
    world.kept.set(record.id, { ...record, command: { ...record.command, process } })
    const commands = { ...world.commands, isRunning: async () => true }
    const deps = { ...world.applyDeps(), commands }
    await expect(abortApply(null, deps)).rejects.toMatchObject({ code: 'E_APPLY_RUNNING' })
    const given = { id: null, word: 'rerun', argv: order.argv } as const
    await expect(resumeApply(given, deps, never)).rejects.toMatchObject({ code: 'E_APPLY_RUNNING' })
    expect(world.commandTicks).toEqual([])
  })

  it.each(['quiesce-scope', 'reap-idle', 'cap-freeze', 'apply', 'cap-restore', 'settle-reap-stale'] as const)(
    'in %s and aborted has its caps back',
    async (state) => {
      const world = await killedIn(state)
      const { record } = await abortApply(null, world.applyDeps())
      expect([record.state, world.caps.current]).toEqual(['aborted', recorded])
    },
  )

  it('is not given back twice: a zero that a person set after the caps were back stands', async () => {
    const world = await killedIn('settle-reap-stale')
    world.caps.write({ maxRunners: 0 })
    await abortApply(null, world.applyDeps())
    expect(world.caps.current.maxRunners).toBe(0)
  })

  it('of another cluster is not touched', async () => {
    const world = await killedIn('cap-freeze')
    const deps = world.applyDeps({ site: 'elsewhere' })
    await expect(abortApply(null, deps)).rejects.toMatchObject({ code: 'E_APPLY_SITE' })
  })

  it('that is not known is said so', async () => {
    const world = workingWorld()
    await expect(abortApply('x', world.applyDeps())).rejects.toMatchObject({ code: 'E_APPLY_UNKNOWN' })
  })
})

describe('caps that cannot be given back', () => {
  it('are said loudly, and the apply stays unfinished', async () => {
    const world = workingWorld()
    const deps = world.applyDeps()
    const cluster = {
      ...deps.cluster,
      patchCaps: (async (target, caps, signal) => {
        if (caps.mark === null) throw new Error('patch is forbidden')
        return deps.cluster.patchCaps(target, caps, signal)
      }) satisfies typeof deps.cluster.patchCaps,
    }
    await expect(beginApply(order, { ...deps, cluster }, never)).rejects.toMatchObject({
      code: 'E_APPLY_FROZEN',
      message: expect.stringContaining('patch is forbidden'),
    })
    const { record } = await abortApply(null, world.applyDeps())
    expect([record.state, world.caps.current]).toEqual(['aborted', recorded])
  })
})
