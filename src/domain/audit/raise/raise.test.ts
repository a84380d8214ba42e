import { describe, expect, it } from 'vitest'
import type { ClusterFacts, PodFact, ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import {
  forgeJobFact,
  listed,
  minuteMs,
  readAt,
  runnerFact,
  secretFact,
  unread,
  waitingState,
} from '../../snapshot/testing/facts.ts'
import { pending } from '../pending/index.ts'
import { healthyFleet } from '../testing/healthy-fleet.ts'
import { contractOf, declaredLane } from '../testing/judge.ts'
import { auditRaise, raiseAudits } from './audit-raise.ts'
import { raiseBlockers } from './blockers.ts'

/** Two sets, each with a label of its own, and everything in order. */
const healthy = healthyFleet({ sets: 2, runnersPerSet: 3, nodes: 1 })
const [label, other] = ['label-0', 'label-1'] as const

function judge(
  snapshot: Snapshot,
  kind: 'maximum' | 'room' = 'maximum',
  labels: readonly string[] = [label],
) {
  return auditRaise({ kind, labels }, { snapshot, contract: null })
}

function changed(cluster: Partial<ClusterFacts>, snapshot: Snapshot = healthy): Snapshot {
  return { ...snapshot, cluster: { ...snapshot.cluster, ...cluster } }
}

function withPod(name: string, given: Partial<PodFact>): Snapshot {
  const pods = healthy.cluster.pods.items.map((pod) => (pod.name === name ? { ...pod, ...given } : pod))
  return changed({ pods: listed(pods) })
}

function withSet(name: string, given: Partial<ScaleSetFact>, snapshot = healthy): Snapshot {
  const sets = snapshot.cluster.scaleSets.items.map((set) => (set.name === name ? { ...set, ...given } : set))
  return changed({ scaleSets: listed(sets) }, snapshot)
}

const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, lastState: null }
const pulling: Partial<PodFact> = {
  phase: 'Pending',
  statuses: [{ ...status, state: waitingState('ImagePullBackOff', 'Back-off pulling image') }],
}
const unplaced: Partial<PodFact> = {
  ...{ phase: 'Pending', node: null, statuses: [], startedAt: null },
  conditions: [
    {
      ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', at: readAt },
      message: '0/1 nodes are available: 1 Insufficient memory.',
    },
  ],
}

const classesOf = ({ refusals }: ReturnType<typeof judge>) => refusals.map(({ finding }) => finding.class)

describe('a raise of capacity', () => {
  it('is allowed where everything was judged and nothing is wrong on its label', () => {
    expect(judge(healthy)).toMatchObject({ verdict: 'allowed', refusals: [], unjudged: [] })
    expect(judge(healthy, 'room').verdict).toBe('allowed')
  })

  it('is refused while an image of its runners is not pulled, with evidence, reason and next action', () => {
    const { verdict, refusals } = judge(withPod('set-0-runner-0', pulling))
    expect(verdict).toBe('refused')
    expect(refusals).toMatchObject([
      {
        group: 'image-pull',
        why: expect.stringContaining('wait for the same pull'),
        finding: {
          class: 'image-pull-blocked',
          evidence: [{ text: expect.stringContaining('set-0-runner-0') }, {}],
          nextAllowedAction: { command: 'holdfast audit pull-secrets' },
        },
      },
    ])
  })

  it('is refused while its listener has no image, and not for the listener of another label', () => {
    const [listener = ''] = healthy.cluster.listeners.items.map(({ name }) => name)
    const snapshot = withPod(listener, { ...pulling, createdAt: readAt - 60 * minuteMs })
    expect(classesOf(judge(snapshot))).toContain('image-pull-blocked')
    expect(judge(snapshot, 'maximum', [other]).verdict).toBe('allowed')
  })

  it('is not refused for pods of another label', () => {
    expect(judge(withPod('set-1-runner-0', pulling)).verdict).toBe('allowed')
  })

  it('is refused for a label that another set writes in capitals', () => {
    const twin = withSet('set-1', { runnerLabels: ['Label-0'] }, withPod('set-1-runner-0', pulling))
    expect(classesOf(judge(twin))).toEqual(['image-pull-blocked'])
  })

  it('is refused while its credential cannot be read, and not for the credential of others', () => {
    const broken = { ...secretFact('github-other', { github_app_pem: 'd', github_app_id: 'e' }) }
    const secrets = listed([...healthy.cluster.secrets.items, broken])
    const snapshot = withSet('set-1', { credentialSecret: 'github-other' }, changed({ secrets }))
    expect(judge(snapshot, 'maximum', [other])).toMatchObject({
      verdict: 'refused',
      refusals: [{ group: 'credential', finding: { class: 'app-secret-bad-key' } }],
    })
    expect(judge(snapshot).verdict).toBe('allowed')
  })

  it('is unknown where its credential is in a key vault, and not for that of others', () => {
    const credentialVault = { type: 'azure_key_vault', address: 'https://kv.example', entry: 'github-app' }
    const snapshot = withSet('set-1', { credentialSecret: null, credentialVault })
    const { verdict, unjudged } = judge(snapshot, 'maximum', [other])
    expect([verdict, new Set(unjudged.map((each) => each.sets?.join()))]).toEqual([
      'unknown',
      new Set(['arc-runners/set-1']),
    ])
    expect(judge(snapshot)).toMatchObject({ verdict: 'allowed', unjudged: [] })
    expect(judge(snapshot, 'maximum', [label, other]).verdict).toBe('unknown')
  })

  it('is refused while several repositories hold the label and others wait, unless the lane says who goes first', () => {
    const held = ['acme/a', 'acme/b'].map((repository, index) =>
      runnerFact(`set-0-runner-${index}`, {
        scaleSet: { namespace: 'arc-runners', name: 'set-0' },
        job: { requestId: '1', id: null, name: 'test', repository, workflowRef: null, runId: index },
      }),
    )
    const waits = forgeJobFact(99, {
      repository: 'acme/c',
      labels: [label],
      queuedAt: readAt - 20 * minuteMs,
    })
    const snapshot = {
      ...changed({ runners: listed(held) }),
      forge: { ...healthy.forge, jobs: listed([waits]) },
    }
    expect(classesOf(judge(snapshot))).toContain('shared-label-fairness-contention')
    const contract = contractOf({ lanes: [declaredLane(label, { hasPriorityPolicy: true })] })
    const decided = auditRaise({ kind: 'maximum', labels: [label] }, { snapshot, contract })
    expect(classesOf(decided)).not.toContain('shared-label-fairness-contention')
  })

  it('of the maximum is refused while the scheduler has no place, which more room answers', () => {
    const snapshot = withPod('set-0-runner-0', unplaced)
    expect(classesOf(judge(snapshot)).sort()).toEqual(['insufficient-memory', 'scheduler-resource-pressure'])
    expect(judge(snapshot, 'room').verdict).toBe('allowed')
    expect(judge(withPod('set-0-runner-0', pulling), 'room').verdict).toBe('refused')
  })

  it.each(['scaleSets', 'runners', 'pods', 'listeners'] as const)(
    'is unknown where %s were not read whole: pods of its label may be left out',
    (list) => {
      const partly = unread<unknown>(list, healthy.cluster[list].items)
      const { verdict, unjudged } = judge(changed({ [list]: partly }))
      expect(verdict).toBe('unknown')
      expect(unjudged.map((each) => each.class)).toContain('image-pull-blocked')
    },
  )

  it('is unknown without the forge, for a label without sets, and by a snapshot of a part', () => {
    const blind = { ...healthy, forge: { ...healthy.forge, jobs: unread<never>('jobs') } }
    expect(judge(blind).verdict).toBe('unknown')
    expect(judge(healthy, 'maximum', [label, 'gone'])).toMatchObject({
      verdict: 'unknown',
      unjudged: expect.arrayContaining([
        { class: 'image-pull-blocked', why: 'the snapshot has no scale set of gone', needs: null },
      ]),
    })
    for (const scope of [{ namespaces: ['arc-runners'] }, { labels: [label] }, { nodes: ['node-0'] }])
      expect(judge({ ...healthy, scope: { ...healthy.scope, ...scope } }).verdict).toBe('unknown')
  })

  it('stays refused where something else could not be judged, and names that too', () => {
    const snapshot = withPod('set-0-runner-0', pulling)
    const blind = { ...snapshot, forge: { ...snapshot.forge, jobs: unread<never>('jobs') } }
    const { verdict, unjudged } = judge(blind)
    expect([verdict, unjudged.length > 0]).toEqual(['refused', true])
  })
})

describe('the classes that stand against a raise', () => {
  const known = raiseAudits.flatMap(({ classes }) => classes.map(({ name }) => name))

  it('are classes of the audits that are run for it', () => {
    expect(Object.keys(raiseBlockers).filter((name) => !known.includes(name))).toEqual([])
  })

  it('hold every cause for which pods wait, and not the autoscaler that asks for a raise', () => {
    const missing = pending.classes.filter(({ name }) => !Object.hasOwn(raiseBlockers, name))
    expect(missing.map(({ name }) => name)).toEqual(['hpa-at-max'])
  })
})
