import { describe, expect, it } from 'vitest'
import type { CredentialBudgetFact, LogFact } from '../../snapshot/index.ts'
import {
  listed,
  listenerFact,
  minuteMs,
  readAt,
  type SnapshotGiven,
  scaleSetFact,
  secretFact,
  snapshotOf,
  unread,
} from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { credentials } from './index.ts'

const app = { github_app_id: 'a1', github_app_installation_id: 'b1', github_app_private_key: 'c1' }
const refusal =
  'Application returned an error: failed to create message session: failed to get runner registration token (403 Forbidden): : API rate limit exceeded for user ID 12345. If you reach out to GitHub Support for help, please include the request ID 0000:000000.'
const served = 'level=INFO msg="Getting next message" component=listener lastMessageID=2'

describe('a credential that the forge sets no limit', () => {
  const unlimited = { limit: null, remaining: null, resetAt: null, at: readAt } as const
  const own = { credential: 'settings', kind: 'personal-token', ...unlimited } as const

  it('is shown as such, and is no finding', () => {
    const { findings, tables } = judged(credentials, fleet({ budgets: [own] }))
    expect(findings).toEqual([])
    expect(tables[0]?.rows.find(([name]) => name === 'settings')?.slice(3, 7)).toEqual([
      'no limit',
      '',
      '',
      '',
    ])
  })
  it('does not hide the budget of another, that ends', () => {
    const budgets = [own, budget({ remaining: 0 })]
    expect(found(judged(credentials, fleet({ budgets })))).toEqual(['pat-budget-exhausted shared-pat'])
  })
})

describe('a personal token without calls (pat-budget-exhausted)', () => {
  it('is proven where the log has refusals and the budget is empty', () => {
    const judgement = judged(
      credentials,
      fleet({ lines: [served, refusal], budgets: [budget({ remaining: 0 })] }),
    )
    expect(found(judgement)).toEqual(['pat-budget-exhausted shared-pat'])
    expect(judgement.findings[0]).toMatchObject({ severity: 'critical', confidence: 'proven' })
    expect(judgement.findings[0]?.mustNotConclude.join()).toContain('cluster capacity')
    expect(judgement.findings[0]?.nextAllowedAction.kind).toBe('person')
  })
  it('names every scale set that the token serves, also under another Secret with the same hash', () => {
    const other = scaleSetFact('web', { namespace: 'web-runners', credentialSecret: 'pat' })
    const secrets = [
      secretFact('shared-pat', { github_token: 'h1' }),
      secretFact('pat', { github_token: 'h1' }, { namespace: 'web-runners' }),
    ]
    const { findings } = judged(credentials, fleet({ lines: [refusal], sets: [other], secrets }))
    const texts = findings.flatMap(({ evidence }) => evidence.map(({ text }) => text))
    expect(texts).toContain('used by arc-runners/linux, web-runners/web')
    expect(texts).toContain('the same credential by its hash in arc-runners/shared-pat, web-runners/pat')
  })
  it('is only likely while the budget has calls left: the refusals may be older', () => {
    const judgement = judged(credentials, fleet({ lines: [refusal], budgets: [budget({ remaining: 4000 })] }))
    expect(judgement.findings[0]).toMatchObject({ class: 'pat-budget-exhausted', confidence: 'likely' })
  })
  it('is found from the controller log of a set that never got a listener', () => {
    const line = `2026-11-16T12:34:10Z ERROR AutoscalingRunnerSet Failed to get runner scale set {"version": "0.14.2", "autoscalingrunnerset": {"name":"linux","namespace":"arc-runners"}, "error": "${refusal}"}`
    const snapshot = fleet({ cluster: { listeners: listed(), logs: listed([log('controller', [line])]) } })
    expect(found(judged(credentials, snapshot))).toEqual(['pat-budget-exhausted shared-pat'])
  })
  it('is not concluded from refusals before the listener was served again', () => {
    expect(found(judged(credentials, fleet({ lines: [refusal, served] })))).toEqual([])
  })
  it('is not concluded for a GitHub App: the refusal names a user, so it is from before the change', () => {
    const secrets = [secretFact('shared-pat', app)]
    expect(found(judged(credentials, fleet({ lines: [refusal], secrets })))).toEqual([])
  })
  it('is unjudged where the kind of the credential is unknown', () => {
    const { findings, unjudged } = judged(
      credentials,
      fleet({ lines: [refusal], budgets: [], cluster: { secrets: unread('secrets') } }),
    )
    expect(findings).toEqual([])
    expect(unjudged).toContainEqual({
      class: 'pat-budget-exhausted',
      why: 'secrets: forbidden',
      needs: 'list secrets',
    })
  })
})

describe('a budget ahead of time (budget-will-run-out)', () => {
  it('forecasts the end from the average since the hour began', () => {
    // Half an hour in, 3,000 of 5,000 are used: the rest lasts 20 minutes of the 30.
    const judgement = judged(
      credentials,
      fleet({ budgets: [budget({ remaining: 2000, resetInMinutes: 30 })] }),
    )
    expect(judgement.findings).toMatchObject([
      {
        class: 'budget-will-run-out',
        severity: 'warning',
        confidence: 'likely',
        summary:
          'The calls of scale set arc-runners/linux end at about 2026-06-01 03:20 UTC, 10 min before they are renewed at 2026-06-01 03:30 UTC.',
      },
    ])
    expect(judgement.tables[0]?.rows).toEqual([
      [
        'arc-runners/shared-pat',
        'personal token',
        'linux',
        '2000 of 5000',
        '2026-06-01 03:30 UTC',
        '6000',
        '2026-06-01 03:20 UTC',
        "its user's budget, shared with all that the user does elsewhere",
      ],
    ])
  })
  it('prefers the rate between two snapshots to the average: the burst is over', () => {
    const earlier = snapshotOf({
      forge: {
        budgets: listed([{ ...budget({ remaining: 2010, resetInMinutes: 30 }), at: readAt - 10 * minuteMs }]),
      },
    })
    const snapshot = fleet({ budgets: [budget({ remaining: 2000, resetInMinutes: 30 })] })
    expect(found(judged(credentials, snapshot, { earlier }))).toEqual([])
  })
  it('finds nothing while the calls last until the reset', () => {
    const judgement = judged(
      credentials,
      fleet({ budgets: [budget({ remaining: 4000, resetInMinutes: 30 })] }),
    )
    expect(judgement).toMatchObject({ findings: [], unjudged: [] })
  })
  it('says nothing from the first minutes of an hour', () => {
    const snapshot = fleet({ budgets: [budget({ remaining: 4000, resetInMinutes: 58 })] })
    expect(found(judged(credentials, snapshot))).toEqual([])
  })
  it("is proven for a GitHub App, and for Holdfast's own, that has no calls left", () => {
    const own = { ...budget({ remaining: 0 }), credential: 'settings', kind: 'app' as const }
    expect(found(judged(credentials, fleet({ budgets: [own] })))).toEqual(['budget-will-run-out settings'])
  })
  it('ignores a reading whose hour is over', () => {
    const snapshot = fleet({ budgets: [budget({ remaining: 0, resetInMinutes: -1 })] })
    expect(found(judged(credentials, snapshot))).toEqual([])
  })
  it('is unjudged where the budget was not read', () => {
    const { unjudged } = judged(credentials, fleet({ forge: { budgets: unread('budgets') } }))
    expect(unjudged.map(({ class: name }) => name)).toEqual(['pat-budget-exhausted', 'budget-will-run-out'])
  })
})

describe('the Secret of a credential', () => {
  it('is missing where the namespace was read whole without it (credential-missing)', () => {
    const judgement = judged(credentials, fleet({ secrets: [] }))
    expect(found(judgement)).toEqual(['credential-missing shared-pat'])
  })
  it('is missing where it has no key that ARC reads', () => {
    const judgement = judged(credentials, fleet({ secrets: [secretFact('shared-pat', { token: 'h' })] }))
    expect(found(judgement)).toEqual(['credential-missing shared-pat'])
  })
  it('is not missing where Secrets could not be listed', () => {
    const { findings, unjudged } = judged(credentials, fleet({ cluster: { secrets: unread('secrets') } }))
    expect(findings).toEqual([])
    expect(unjudged.map(({ class: name }) => name)).toContain('credential-missing')
  })
  it('is not missing where its namespace was left out', () => {
    const given = { snapshot: { scope: { namespaces: ['other'], labels: null, nodes: null } } }
    const { findings, unjudged } = judged(credentials, fleet({ secrets: [], ...given }))
    expect(findings).toEqual([])
    expect(unjudged[0]?.needs).toBe('a snapshot with --namespace arc-runners')
  })
  it('has a bad key where the private key stands under github_app_pem (app-secret-bad-key)', () => {
    const pem = { github_app_id: 'a', github_app_installation_id: 'b', github_app_pem: 'c' }
    const judgement = judged(credentials, fleet({ secrets: [secretFact('shared-pat', pem)] }))
    expect(found(judgement)).toEqual(['app-secret-bad-key shared-pat'])
    expect(judgement.findings[0]?.summary).toContain('has no github_app_private_key')
  })
  it('has no bad key with the three names that ARC reads', () => {
    expect(found(judged(credentials, fleet({ secrets: [secretFact('shared-pat', app)] })))).toEqual([])
  })
  it('drifts where the copy next to the listener has another hash (auth-secret-namespace-drift)', () => {
    const copy = secretFact('shared-pat', { github_token: 'ffffffff0000' }, { namespace: 'arc-systems' })
    const judgement = judged(credentials, fleet({ secrets: [...fleetSecrets, copy] }))
    expect(found(judgement)).toEqual(['auth-secret-namespace-drift shared-pat'])
    expect(judgement.findings[0]?.evidence[0]?.text).toBe(
      'key github_token: hash h1 in arc-runners, ffffffff in arc-systems',
    )
  })
  it('does not drift where the copies are equal, nor where there is no copy', () => {
    const copy = secretFact('shared-pat', { github_token: 'h1' }, { namespace: 'arc-systems' })
    expect(found(judged(credentials, fleet({ secrets: [...fleetSecrets, copy] })))).toEqual([])
    expect(found(judged(credentials, fleet({})))).toEqual([])
  })
})

describe('a credential in a key vault', () => {
  const vault = { type: 'azure_key_vault', address: 'https://acme.vault.example', entry: 'github-app' }
  const inVault = { credentialSecret: null, credentialVault: vault }

  it('is neither missing nor good: it cannot be judged from here, and the sets that share it are named', () => {
    const sets = [scaleSetFact('linux', inVault), scaleSetFact('web', inVault)]
    const judgement = judged(credentials, fleet({ secrets: [], cluster: { scaleSets: listed(sets) } }))
    expect(judgement.findings).toEqual([])
    expect(judgement.unjudged.map(({ class: name }) => name)).toEqual([
      'credential-missing',
      'app-secret-bad-key',
      'pat-budget-exhausted',
      'budget-will-run-out',
    ])
    expect(judgement.unjudged[0]).toMatchObject({
      why: 'the credential of 2 scale sets is in a key vault (azure_key_vault entry github-app of https://acme.vault.example), and cannot be judged from here',
      needs: expect.stringContaining('a look into the vault'),
    })
    expect(judgement.tables[0]?.rows.at(-1)?.slice(0, 3)).toEqual([
      'azure_key_vault entry github-app of https://acme.vault.example',
      'in a key vault',
      'linux, web',
    ])
  })
  it('does not excuse a set next to it whose Secret is missing', () => {
    const sets = [scaleSetFact('linux', inVault), scaleSetFact('web', { credentialSecret: 'gone' })]
    const snapshot = fleet({ secrets: [], cluster: { scaleSets: listed(sets) } })
    expect(found(judged(credentials, snapshot))).toEqual(['credential-missing gone'])
  })
})

const fleetSecrets = [secretFact('shared-pat', { github_token: 'h1' })]

interface FleetGiven extends SnapshotGiven {
  readonly lines?: readonly string[]
  readonly sets?: readonly ReturnType<typeof scaleSetFact>[]
  readonly secrets?: readonly ReturnType<typeof secretFact>[]
  readonly budgets?: readonly CredentialBudgetFact[]
}

/** A healthy set with a personal token, its listener, and a budget that lasts. */
function fleet({ lines = [served], sets = [], secrets = fleetSecrets, budgets, ...given }: FleetGiven) {
  return snapshotOf({
    ...given,
    cluster: {
      scaleSets: listed([scaleSetFact('linux', { credentialSecret: 'shared-pat' }), ...sets]),
      listeners: listed([listenerFact('linux')]),
      secrets: listed(secrets),
      logs: listed([log('listener', lines)]),
      ...given.cluster,
    },
    forge: { budgets: listed(budgets ?? [budget({ remaining: 4900 })]), ...given.forge },
  })
}

function log(role: LogFact['role'], lines: readonly string[]): LogFact {
  const pod = { namespace: 'arc-systems', name: role === 'listener' ? 'linux-listener' : 'arc-controller' }
  return { pod, container: role, role, lines, isCut: false }
}

function budget({
  remaining,
  resetInMinutes = 30,
}: {
  remaining: number
  resetInMinutes?: number
}): CredentialBudgetFact {
  return {
    credential: 'arc-runners/shared-pat',
    kind: 'personal-token',
    limit: 5000,
    remaining,
    resetAt: readAt + resetInMinutes * minuteMs,
    at: readAt,
  }
}
