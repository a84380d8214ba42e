import { describe, expect, it } from 'vitest'
import {
  listed,
  listenerFact,
  podFact,
  runnerFact,
  scaleSetFact,
  snapshotOf,
} from '../snapshot/testing/facts.ts'
import type { Finding, NextAction } from './finding.ts'
import { joinSnapshot } from './joins.ts'
import { withRemedy } from './remedies.ts'

const joins = joinSnapshot(
  snapshotOf({
    cluster: {
      scaleSets: listed([scaleSetFact('linux')]),
      runners: listed([runnerFact('linux-1')]),
      listeners: listed([listenerFact('linux')]),
      pods: listed([
        podFact('manager-5d8f-x1', {
          owner: { kind: 'ReplicaSet', name: 'manager-5d8f', uid: 'u' },
          labels: { 'pod-template-hash': '5d8f' },
        }),
        podFact('bare'),
      ]),
    },
  }),
)

function found(kind: NextAction['kind'], subject: Partial<Finding['subject']> = {}): Finding {
  return {
    class: 'stuck',
    severity: 'warning',
    subject: { kind: 'scale-set', namespace: 'arc-runners', name: 'linux', ...subject },
    confidence: 'proven',
    summary: 'It is stuck.',
    evidence: [],
    mustNotConclude: [],
    nextAllowedAction: { kind, text: 'It may go.', command: null },
  }
}

const known = {
  stuck: {
    takesOver: 'person' as const,
    command: ({ set }: { set: string | null }) =>
      set === null ? null : `holdfast fix stuck --scale-set ${set}`,
  },
}
const actionOf = (finding: Finding) => withRemedy(finding, joins, known).nextAllowedAction

describe('a finding of a class with a remedy', () => {
  it('names the command that plans what a person would do', () => {
    expect(actionOf(found('person'))).toEqual({
      kind: 'person',
      text: 'It may go. This plans it, and changes nothing.',
      command: 'holdfast fix stuck --scale-set arc-runners/linux',
    })
  })

  it('names the set of a runner', () => {
    const { command } = actionOf(found('person', { kind: 'runner', name: 'linux-1' }))
    expect(command).toBe('holdfast fix stuck --scale-set arc-runners/linux')
  })

  it('names the set whose credential has a copy, where its listener runs', () => {
    const copy = { kind: 'secret', namespace: 'arc-systems', name: 'github-app' } as const
    expect(actionOf(found('person', copy)).command).toBe('holdfast fix stuck --scale-set arc-runners/linux')
    expect(actionOf(found('person', { ...copy, namespace: 'elsewhere' })).command).toBeNull()
    expect(actionOf(found('person', { ...copy, name: 'another' })).command).toBeNull()
  })

  it('names the first set that uses a credential', () => {
    const credential = { kind: 'credential', namespace: 'arc-runners', name: 'github-app' } as const
    const command = (given: object) => actionOf(found('person', { ...credential, ...given })).command
    expect(command({})).toBe('holdfast fix stuck --scale-set arc-runners/linux')
    expect([command({ namespace: 'elsewhere' }), command({ name: 'another' })]).toEqual([null, null])
  })

  it('names the Deployment of a manager’s pod, by its ReplicaSet', () => {
    const command = (name: string) => {
      const subject = { kind: 'pod', namespace: 'arc-runners', name } as const
      const finding = { ...found('person', subject), class: 'token-stale-in-pod' }
      return withRemedy(finding, joins).nextAllowedAction.command
    }
    expect(command('manager-5d8f-x1')).toBe('holdfast fix gitlab-token --deployment arc-runners/manager')
    expect([command('bare'), command('unknown')]).toEqual([null, null])
  })

  it('stays a person’s where the set is not known, or its name could mean something to a shell', () => {
    const byPerson = { kind: 'person', text: 'It may go.', command: null }
    expect(actionOf(found('person', { kind: 'runner', name: 'linux-9' }))).toEqual(byPerson)
    for (const name of ['linux;reboot', '-linux', 'linux $(x)'])
      expect(actionOf(found('person', { name }))).toEqual(byPerson)
  })

  it('is only read about where the facts allow no more', () => {
    expect(actionOf(found('read'))).toEqual({ kind: 'read', text: 'It may go.', command: null })
  })

  it('keeps to the acts that the remedy does: another act is a person’s', () => {
    expect(actionOf(found('change'))).toEqual({ kind: 'person', text: 'It may go.', command: null })
  })
})

describe('a finding of a class without a remedy', () => {
  it('is a person’s, and has no command', () => {
    const alone = withRemedy(found('change'), joins, {}).nextAllowedAction
    expect(alone).toEqual({ kind: 'person', text: 'It may go.', command: null })
  })
})
