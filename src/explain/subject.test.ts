import { describe, expect, it } from 'vitest'
import { meaningsOf, meaningText } from './subject.ts'

const job = (repository: string, runId: number | null, forgeJobId: number) => ({
  kind: 'job-url',
  repository,
  runId,
  forgeJobId,
})
const uid = '0a1b2c3d-1111-4222-8333-444455556666'

describe('the meanings of a text', () => {
  it.each([
    [
      '12',
      [
        { kind: 'our-job', id: 12 },
        { kind: 'forge-job', installation: null, forgeJobId: 12 },
      ],
    ],
    [
      'job/12',
      [
        { kind: 'our-job', id: 12 },
        { kind: 'pod', namespace: 'job', name: '12' },
      ],
    ],
    ['contract:12', [{ kind: 'forge-job', installation: 'contract', forgeJobId: 12 }]],
    ['https://github.com/acme/web/actions/runs/31/job/87', [job('acme/web', 31, 87)]],
    ['https://github.com/acme/web/actions/runs/31/job/87?pr=4#step:3:1', [job('acme/web', 31, 87)]],
    ['https://github.com/acme/web/actions/runs/31/attempts/2/job/87/', [job('acme/web', 31, 87)]],
    ['https://github.com/acme/web/runs/31/jobs/87', [job('acme/web', 31, 87)]],
    ['https://git.example/git/acme/web/actions/runs/31/jobs/87', [job('acme/web', 31, 87)]],
    ['https://api.github.com/repos/acme/web/actions/jobs/87', [job('acme/web', null, 87)]],
    ['https://github.com/acme/web/actions/runs/31', [{ kind: 'run-url', repository: 'acme/web', runId: 31 }]],
    ['https://github.com/acme/web', []],
    ['https://github.com/acme/we%2Fb/actions/runs/31/job/87', []],
    ['https://', []],
    ['linux-00000001', [{ kind: 'runner', name: 'linux-00000001' }]],
    [
      'runner/linux-1',
      [
        { kind: 'runner', name: 'linux-1' },
        { kind: 'pod', namespace: 'runner', name: 'linux-1' },
      ],
    ],
    ['ci/linux-1', [{ kind: 'pod', namespace: 'ci', name: 'linux-1' }]],
    [
      'pod/linux-1',
      [
        { kind: 'pod', namespace: null, name: 'linux-1' },
        { kind: 'pod', namespace: 'pod', name: 'linux-1' },
      ],
    ],
    [
      uid.toUpperCase(),
      [
        { kind: 'pod-uid', uid },
        { kind: 'runner', name: uid.toUpperCase() },
      ],
    ],
    ['a b', []],
    ['../../etc/passwd', []],
    ['-x', []],
    ['1234567890123456', [{ kind: 'runner', name: '1234567890123456' }]],
  ])('%s', (text, expected) => {
    expect(meaningsOf(text)).toEqual(expected)
  })

  it('are described in words', () => {
    const texts = ['12', 'ci/linux-1', uid].flatMap(meaningsOf).map(meaningText)
    expect(texts).toEqual([
      'job 12 of this Holdfast',
      'job 12 of the forge',
      'a runner in the pod ci/linux-1',
      `a runner that ended in the pod with the UID ${uid}`,
      `a runner of the name ${uid}, here or at the forge`,
    ])
  })
})
