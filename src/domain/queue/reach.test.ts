import { describe, expect, it } from 'vitest'
import { aJob, now } from '../../../test/support/rows.ts'
import { type Incident, incidentTable } from '../incident/index.ts'
import { reachOf } from './index.ts'

const job = aJob()

function incident(over: Partial<Incident> = {}): Incident {
  return {
    id: 1,
    kind: 'actions-disabled',
    installation: job.installation,
    scope: 'repository',
    key: job.repository,
    reason: 'Actions are off.',
    openedAt: now,
    lastSeenAt: now,
    timesSeen: 1,
    closedAt: null,
    ...over,
  }
}

describe('reachOf', () => {
  it('says that no pool serves the labels of a queued job', () => {
    expect(reachOf(aJob({ pool: null, labels: ['gpu', 'linux'] }), [])).toMatchObject({
      kind: 'label-without-pool',
      sentence: 'No pool serves its labels (gpu, linux).',
    })
  })

  it.each([
    ['its repository', incident()],
    ['its owner', incident({ scope: 'account', key: job.owner })],
    ['its repository in another case', incident({ key: job.repository.toUpperCase() })],
  ])("reports an open incident of %s, with the forge's message and the remedy", (_, open) => {
    expect(reachOf(job, [open])).toEqual({
      kind: 'actions-disabled',
      sentence: 'Actions are disabled in this repository. The forge says: Actions are off.',
      todo: incidentTable['actions-disabled'].todo,
    })
  })

  it('reports the repository before the owner', () => {
    const ofOwner = incident({ scope: 'account', key: job.owner, kind: 'installation-suspended' })
    expect(reachOf(job, [ofOwner, incident()])?.kind).toBe('actions-disabled')
  })

  it.each([
    ['an incident that is over', incident({ closedAt: now })],
    ['one of another repository', incident({ key: 'acme/other' })],
    ['one of another installation', incident({ installation: 'elsewhere' })],
    [
      'one of the installation, which holds nothing back',
      incident({ scope: 'installation', key: job.owner }),
    ],
    ['a repository named like the owner', incident({ key: job.owner })],
  ])('does not blame %s', (_, other) => {
    expect(reachOf(job, [other])).toBeNull()
  })

  it('says nothing of a job that waits no longer', () => {
    expect(reachOf(aJob({ state: 'running', pool: null }), [incident()])).toBeNull()
  })
})
