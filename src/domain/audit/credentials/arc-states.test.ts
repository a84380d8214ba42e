import { describe, expect, it } from 'vitest'
import { arcSnapshot, arcStates } from '../../../../test/support/arc-states.ts'
import { listed, objectFact, secretFact } from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { credentials } from './index.ts'

/** A state of ARC with the Secret that its chart made: a personal token. */
function withSecret(state: string) {
  const snapshot = arcSnapshot(state, { withForge: true })
  const secrets = snapshot.cluster.scaleSets.items.flatMap(({ namespace, credentialSecret }) =>
    credentialSecret === null
      ? []
      : [secretFact(credentialSecret, { github_token: 'h1' }, objectFact(credentialSecret, namespace))],
  )
  return { ...snapshot, cluster: { ...snapshot.cluster, secrets: listed(secrets) } }
}

describe('states that three real releases of ARC wrote', () => {
  it.each(arcStates())('%s: an exhausted token is found where there is one, and nowhere else', (state) => {
    const expected = /ratelimited|d-listener-pod-pending/.test(state)
      ? ['pat-budget-exhausted arc-demo-gha-rs-github-secret']
      : []
    expect(found(judged(credentials, withSecret(state)))).toEqual(expected)
  })
})
