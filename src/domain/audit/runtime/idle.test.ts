import { describe, expect, it } from 'vitest'
import {
  forgeJobFact,
  forgeRunnerFact,
  readAt,
  runnerFact,
  runnerSetFact,
  unread,
} from '../../snapshot/testing/facts.ts'
import { judged } from '../testing/judge.ts'
import { runtime } from './index.ts'
import { type FleetGiven, fleetOf, hourMs, job, line, nextGeneration } from './testing/fleet.ts'

function judge(given: FleetGiven) {
  return judged(runtime, fleetOf(given)).findings
}

const free = { runners: [forgeRunnerFact('linux-1'), forgeRunnerFact('linux-2')] }
const one = runnerFact('linux-1')
const two = runnerFact('linux-2', { createdAt: readAt - 3 * hourMs })

describe('idle-leak', () => {
  const generations = [runnerSetFact('linux', { replicas: 1 })]

  it('is the oldest idle runner above the wanted number, and never more than there are above it', () => {
    const [finding, ...others] = judge({ generations, runners: [one, two], forge: free })
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      class: 'idle-leak',
      confidence: 'proven',
      nextAllowedAction: {
        kind: 'change',
        text: expect.stringContaining('above the wanted number'),
        command: 'holdfast reap --scale-set arc-runners/linux',
      },
    })
    const text = JSON.stringify(finding?.evidence)
    expect(text).toContain('linux-2')
    expect(text).not.toContain('linux-1')
  })

  it('names no command where the set’s name could mean something to a shell', () => {
    const snapshot = fleetOf({ generations, runners: [one, two], forge: free })
    const hostile = JSON.parse(JSON.stringify(snapshot).replaceAll('"linux"', '"linux;reboot"'))
    const { findings } = judged(runtime, hostile)
    expect(findings).toMatchObject([
      { class: 'idle-leak', nextAllowedAction: { kind: 'person', command: null } },
    ])
  })

  it('names no command where the reaper takes none of them: offline at the forge, while their containers live', () => {
    const forge = { runners: free.runners.map((runner) => ({ ...runner, isOnline: false })) }
    const [finding] = judge({ generations, runners: [one, two], forge })
    expect(finding).toMatchObject({
      class: 'idle-leak',
      nextAllowedAction: {
        kind: 'person',
        text: expect.stringContaining('lost its connection'),
        command: null,
      },
    })
  })

  it('may only be read about without the forge’s word', () => {
    expect(judge({ generations, runners: [one, two], forge: null })).toMatchObject([
      { class: 'idle-leak', confidence: 'likely', nextAllowedAction: { kind: 'read' } },
    ])
  })

  it('may only be read about where a part of the forge’s jobs is missing: one could be on it', () => {
    const snapshot = fleetOf({ generations, runners: [one, two], forge: free })
    const dark = { ...snapshot, forge: { ...snapshot.forge, jobs: unread<never>('jobs') } }
    expect(judged(runtime, dark).findings).toMatchObject([{ nextAllowedAction: { kind: 'read' } }])
  })

  it('names no runner that the forge calls busy', () => {
    const forge = { runners: [forgeRunnerFact('linux-2', { isBusy: true })] }
    const [finding] = judge({ generations, runners: [one, two], forge })
    expect(finding).toMatchObject({ severity: 'notice', nextAllowedAction: { kind: 'read' } })
    expect(JSON.stringify(finding)).not.toContain('linux-2')
  })

  it('names no runner for which the forge has a job in progress', () => {
    const forge = { ...free, jobs: [forgeJobFact(1, { status: 'in_progress', runnerName: 'linux-2' })] }
    expect(judge({ generations, runners: [one, two], forge })).toMatchObject([
      { severity: 'notice', nextAllowedAction: { kind: 'read' } },
    ])
  })

  it('is no warm runner: as many as wanted are capacity, and stand in a table', () => {
    const { findings, tables } = judged(runtime, fleetOf({ runners: [one, two], forge: free }))
    expect(findings).toEqual([])
    expect(tables.at(-1)).toMatchObject({
      rows: [
        ['linux-1', 'arc-runners/linux'],
        ['linux-2', 'arc-runners/linux'],
      ],
    })
  })

  it('is no runner younger than the reaper’s minimum', () => {
    const runners = [one, two].map((runner) => ({ ...runner, createdAt: readAt - hourMs / 2 }))
    expect(judge({ generations, runners, forge: free })).toEqual([])
  })

  it('is no runner with a job, however many there are', () => {
    expect(judge({ generations, runners: [one, two].map((runner) => ({ ...runner, job })) })).toEqual([])
  })
})

describe('stale-generation', () => {
  const old = runnerSetFact('linux', { deletedAt: readAt - hourMs })
  const generations = [old, nextGeneration({ createdAt: readAt - hourMs })]

  it('is an idle runner of an old generation; with the forge’s word its removal can be planned', () => {
    expect(judge({ generations, runners: [one], forge: free })).toMatchObject([
      {
        class: 'stale-generation',
        confidence: 'proven',
        nextAllowedAction: {
          kind: 'change',
          text: expect.stringContaining('old generations'),
          command: 'holdfast reap --scale-set arc-runners/linux --stale-generation',
        },
      },
    ])
  })

  it('may only be read about without the forge’s word', () => {
    expect(judge({ generations, runners: [one], forge: null })).toMatchObject([
      { class: 'stale-generation', confidence: 'likely', nextAllowedAction: { kind: 'read' } },
    ])
  })

  it('leads to the credential where the forge refuses the removal', () => {
    const log = [line('Failed to clean up EphemeralRunners', 'ephemeralrunnerset', 'linux-gen1')]
    expect(judge({ generations, runners: [one], forge: free, log })).toMatchObject([
      { class: 'stale-generation', nextAllowedAction: { command: 'holdfast audit credentials' } },
    ])
  })

  it('is no busy runner of an old generation', () => {
    expect(judge({ generations, runners: [{ ...one, job }] })).toEqual([])
  })

  it('is no runner of an old generation while the rollover is minutes old', () => {
    const fresh = [old, nextGeneration({ createdAt: readAt - hourMs / 60 })]
    expect(judge({ generations: fresh, runners: [one], forge: free })).toEqual([])
  })

  it('is nothing where neither age nor hashes separate the generations', () => {
    const alike = [old, nextGeneration({ specHash: old.specHash, createdAt: old.createdAt })]
    expect(judge({ generations: alike, runners: [one], forge: free })).toEqual([])
  })

  it('goes by the declared image where only hashes separate the generations', () => {
    const images = { runner: 'ghcr.io/actions/actions-runner:2.333.1' }
    const declared = nextGeneration({ createdAt: old.createdAt, replicas: 1 })
    const both = [{ ...old, images }, declared]
    expect(judge({ generations: both, runners: [one], forge: free })).toMatchObject([
      { class: 'stale-generation' },
    ])
    const ofDeclared = { ...one, runnerSet: { name: declared.name, uid: declared.uid } }
    expect(judge({ generations: both, runners: [ofDeclared], forge: free })).toEqual([])
  })

  it('compares each runner with its set’s spec where one object is patched in place', () => {
    const set = { isSingleSetLayout: true }
    const images = { runner: 'ghcr.io/actions/actions-runner:2.333.1' }
    expect(judge({ set, runners: [{ ...one, images }], forge: free })).toMatchObject([
      { class: 'stale-generation' },
    ])
    expect(judge({ set, runners: [one], forge: free })).toEqual([])
  })
})
