import { describe, expect, it } from 'vitest'
import {
  listed,
  minuteMs,
  podFact,
  readAt,
  runningState,
  secretFact,
  snapshotOf,
  terminatedState,
  unread,
} from '../../domain/snapshot/testing/facts.ts'
import { diffSnapshots } from './diff.ts'

const withPods = (pods: ReturnType<typeof listed<ReturnType<typeof podFact>>>) =>
  snapshotOf({ cluster: { pods } })

describe('the difference of two snapshots', () => {
  it('is nothing where only versions and times of reading differ', () => {
    const later = snapshotOf({
      cluster: { pods: { ...listed([podFact('a', { resourceVersion: '99' })]), at: readAt + minuteMs } },
      snapshot: { id: 'later', takenAt: readAt + minuteMs },
    })
    expect(diffSnapshots(withPods(listed([podFact('a')])), later)).toMatchObject({ isSame: true, kinds: [] })
  })

  it('names objects that came and went, by kind', () => {
    const diff = diffSnapshots(
      withPods(listed([podFact('a'), podFact('b')])),
      withPods(listed([podFact('b'), podFact('c')])),
    )
    expect(diff.kinds).toEqual([
      {
        list: 'cluster.pods',
        what: 'pods',
        added: ['arc-runners/c'],
        removed: ['arc-runners/a'],
        addedOrUnread: [],
        removedOrUnread: [],
        changed: [],
      },
    ])
  })

  it('names the fields that changed, down to the state of one container', () => {
    const status = { name: 'runner', isReady: true, restarts: 0, imageId: null, lastState: null }
    const before = podFact('a', { statuses: [{ ...status, state: runningState }] })
    const after = podFact('a', {
      phase: 'Failed',
      statuses: [{ ...status, state: terminatedState(137, 'OOMKilled') }],
    })
    const [kind] = diffSnapshots(withPods(listed([before])), withPods(listed([after]))).kinds
    expect(kind?.changed[0]?.fields).toEqual(
      expect.arrayContaining([
        { path: 'phase', before: 'Running', after: 'Failed' },
        { path: 'statuses.runner.state.exitCode', before: null, after: 137 },
        { path: 'statuses.runner.state.reason', before: null, after: 'OOMKilled' },
      ]),
    )
  })

  it('does not say "removed" where the later list could not be read whole', () => {
    const [kind] = diffSnapshots(withPods(listed([podFact('a')])), withPods(unread('pods'))).kinds
    expect(kind).toMatchObject({ removed: [], removedOrUnread: ['arc-runners/a'] })
  })

  it('does not say "added" where the earlier list could not be read whole, or was narrowed', () => {
    const after = withPods(listed([podFact('a')]))
    const [kind] = diffSnapshots(withPods(unread('pods')), after).kinds
    expect(kind).toMatchObject({ added: [], addedOrUnread: ['arc-runners/a'] })
    const scope = { namespaces: ['other'], labels: null, nodes: null }
    const narrowed = diffSnapshots(snapshotOf({ snapshot: { scope } }), after)
    expect(narrowed.kinds[0]).toMatchObject({ added: [], addedOrUnread: ['arc-runners/a'] })
    expect(narrowed.notCompared).toMatchObject([expect.stringContaining('narrowed differently')])
  })

  it('keeps apart several events about one object for one reason', () => {
    const event = {
      namespace: 'arc',
      type: 'Warning',
      reason: 'BackOff',
      message: 'a',
      subject: { kind: 'Pod', name: 'p', uid: null },
      count: 1,
      firstAt: null,
      lastAt: null,
    }
    const one = snapshotOf({ cluster: { events: listed([event]) } })
    const two = snapshotOf({ cluster: { events: listed([event, { ...event, message: 'b' }]) } })
    expect(diffSnapshots(one, two).kinds[0]?.added).toEqual(['Pod/arc/p/BackOff (2)'])
  })
})

describe('values of secrets', () => {
  const withSecret = (hash: string, hashScope: string | null) =>
    snapshotOf({
      cluster: { secrets: listed([secretFact('github-app', { key: hash })]) },
      snapshot: { hashScope },
    })

  it('are compared by their hashes where one key made both', () => {
    const { kinds, notCompared } = diffSnapshots(withSecret('a1', 'k'), withSecret('b2', 'k'))
    expect(kinds[0]?.changed).toEqual([
      { name: 'arc-runners/github-app', fields: [{ path: 'keys.key.hash', before: 'a1', after: 'b2' }] },
    ])
    expect(notCompared).toEqual([])
  })

  it.each([
    ['two keys', 'k', 'l'],
    ['no key', null, null],
  ])('are not compared where %s made them, and it is said', (_, one, other) => {
    const { isSame, notCompared } = diffSnapshots(withSecret('a1', one), withSecret('b2', other))
    expect(isSame).toBe(true)
    expect(notCompared).toMatchObject([expect.stringContaining('cannot be compared')])
  })

  it('of a key that is new show no hash of another scope', () => {
    const after = snapshotOf({
      cluster: { secrets: listed([secretFact('github-app', { key: 'a1', other: 'b2' })]) },
      snapshot: { hashScope: 'l' },
    })
    const [kind] = diffSnapshots(withSecret('a1', 'k'), after).kinds
    expect(kind?.changed[0]?.fields).toEqual([
      { path: 'keys.other', before: null, after: { name: 'other', hash: null } },
    ])
  })
})
