import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../../test/support/arc-states.ts'
import { snapshots } from '../../../../test/support/audits/arbitrary-snapshot.ts'
import { type Removal, removalsFrom, without } from '../../../../test/support/audits/removals.ts'
import type { Raise } from '../../capacity/index.ts'
import type { Snapshot } from '../../snapshot/index.ts'
import { listed, secretFact } from '../../snapshot/testing/facts.ts'
import type { Finding } from '../finding.ts'
import { audits } from '../registry.ts'
import { runAudits } from '../run.ts'
import { wholeScope } from '../scope.ts'
import { contractOf, declaredLane } from '../testing/judge.ts'
import { auditRaise } from './audit-raise.ts'
import { raiseBlockers } from './blockers.ts'

const runs = { seed: 20260601, numRuns: 600 }
const timeout = 120_000

/** The state with the credential that its sets name: the dumps have no Secrets. */
function stateOf(state: string): Snapshot {
  const snapshot = arcSnapshot(state, { withForge: true })
  const keys = { github_app_id: 'a', github_app_installation_id: 'b', github_app_private_key: 'c' }
  const secrets = snapshot.cluster.scaleSets.items.flatMap(({ namespace, credentialSecret }) =>
    credentialSecret === null ? [] : [{ ...secretFact(credentialSecret, keys), namespace }],
  )
  return { ...snapshot, cluster: { ...snapshot.cluster, secrets: listed(secrets) } }
}

function verdictOf(snapshot: Snapshot, kind: Raise['kind'], labels: readonly string[]): string {
  return auditRaise({ kind, labels }, { snapshot, contract: null }).verdict
}

function labelsOf({ cluster }: Snapshot): readonly string[] {
  return [...new Set(cluster.scaleSets.items.flatMap(({ runnerLabels }) => runnerLabels))]
}

/** Labels for which fewer facts say more: what was refused or unknown is allowed. */
function bolder(snapshot: Snapshot, removal: Removal): string[] {
  const less = without(snapshot, removal)
  return labelsOf(snapshot).flatMap((label) =>
    (['maximum', 'room'] as const).flatMap((kind) => {
      const [before, after] = [verdictOf(snapshot, kind, [label]), verdictOf(less, kind, [label])]
      const isBolder = after === 'allowed' && before !== 'allowed'
      return isBolder
        ? [`${kind} of ${label} without ${JSON.stringify(removal)}: ${before}, then ${after}`]
        : []
    }),
  )
}

describe('removing a fact from a snapshot never allows a raise', () => {
  it('in fleets of every state, some of which refuse one', { timeout }, () => {
    const situations = snapshots().chain((snapshot) =>
      fc.record({ snapshot: fc.constant(snapshot), removal: fc.constantFrom(...removalsFrom(snapshot)) }),
    )
    const seen = new Set<string>()
    const property = fc.property(situations, ({ snapshot, removal }) => {
      for (const label of labelsOf(snapshot)) seen.add(verdictOf(snapshot, 'maximum', [label]))
      return bolder(snapshot, removal).length === 0
    })
    const { counterexample } = fc.check(property, runs)
    expect(counterexample?.flatMap(({ snapshot, removal }) => bolder(snapshot, removal)) ?? []).toEqual([])
    expect(seen).toContain('refused')
  })

  it.each(arcStates())('in a state that ARC wrote: %s', { timeout }, (state) => {
    const snapshot = stateOf(state)
    expect(removalsFrom(snapshot).flatMap((removal) => bolder(snapshot, removal))).toEqual([])
  })
})

describe('no next action raises capacity while a finding stands against it in the same report', () => {
  const contract = contractOf({ lanes: [declaredLane('arc-demo', { maxRunners: 500 })] })
  const isBlocker = ({ class: name }: Finding) => Object.hasOwn(raiseBlockers, name)

  it.each(arcStates())('in the state %s of ARC, with a contract that declares one', (state) => {
    const snapshot = stateOf(state)
    const { findings } = runAudits({ audits, snapshot, contract, earlier: null, narrowed: wholeScope })
    const actions = findings.map(({ nextAllowedAction }) => nextAllowedAction)
    expect(actions.filter(({ raises }) => raises !== undefined)).toEqual([])
    const declared = findings.find((each) => each.class === 'declared-live-drift')
    const isHeld = declared?.nextAllowedAction.text.startsWith('The higher maxRunners is ')
    if (declared !== undefined) expect(isHeld).toBe(findings.some(isBlocker))
    // These actions raise quotas, which is room.
    const others = findings.filter((each) => isBlocker(each) && !raiseBlockers[each.class]?.isAnsweredByRoom)
    const raising = actions.filter(({ text }) => /^Raise\b|[,;] or raise\b/.test(text))
    if (others.length > 0) expect(raising).toEqual([])
  })
})
