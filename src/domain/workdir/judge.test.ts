import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WorkFolderFacts } from './facts.ts'
import type { RunnerHost } from './host.ts'
import { judgeHost } from './judge.ts'
import {
  gitLock,
  hostFacts,
  lookedAt,
  notableEntry,
  rootOwned,
  runnerHost,
  runnerProcess,
  runnerUid,
} from './testing.ts'

function judged(given: Partial<WorkFolderFacts> = {}, host: Partial<RunnerHost> = {}) {
  return judgeHost(runnerHost(host), { kind: 'read', facts: hostFacts(given) }, lookedAt)
}
const classes = (given: Partial<WorkFolderFacts>, host: Partial<RunnerHost> = {}) =>
  judged(given, host).findings.map((finding) => `${finding.class} ${finding.confidence}`)
const minuteMs = 60_000

describe('a host at rest whose entries all belong to the runner', () => {
  it('is healthy, and nothing is left open', () => {
    expect(judged()).toMatchObject({ verdict: 'healthy', findings: [], unjudged: [] })
  })
})

describe('a folder that the runner cannot empty', () => {
  it('is a candidate where it is the only one', () => {
    const { verdict, findings, folders } = judged({ notable: rootOwned('web') })
    expect(verdict).toBe('contaminated')
    expect(findings.map(({ class: name }) => name)).toEqual(['single-repo-candidate'])
    expect(findings[0]).toMatchObject({
      confidence: 'proven',
      nextAllowedAction: { kind: 'person', command: null },
    })
    expect(findings[0]?.evidence[0]?.text).toBe('web/web/dist: directory of uid 0, mode 0755')
    expect(folders).toContainEqual({ name: 'web', isRepository: true, verdict: 'contaminated' })
    expect(folders).toContainEqual({ name: 'api', isRepository: true, verdict: 'healthy' })
  })

  it('is a case for a person where there are several', () => {
    expect(classes({ notable: [...rootOwned('web'), ...rootOwned('api')] })).toContain(
      'multi-repo-contaminated proven',
    )
  })

  it('is likely only where the directory may be empty', () => {
    expect(classes({ notable: [notableEntry('web/web/dist')] })).toEqual(['single-repo-candidate likely'])
  })

  it('is one whose own directories lost their write bits, as those of a Go module cache', () => {
    const dir = notableEntry('web/web/mod', { uid: runnerUid, mode: 0o555 })
    expect(classes({ notable: [dir] })).toEqual(['single-repo-candidate likely'])
  })

  it('is none where the directory lets everybody write, or its group', () => {
    for (const mode of [0o777, 0o775])
      expect(classes({ notable: [notableEntry('web/web/dist', { mode })] })).toEqual([
        'ownership-drift-residual proven',
      ])
  })

  it('is one again where the directory is sticky', () => {
    expect(classes({ notable: [notableEntry('web/web/tmp', { mode: 0o1777 })] })).toEqual([
      'single-repo-candidate likely',
    ])
  })

  it('is none where jobs run as root, whom modes do not stop', () => {
    expect(
      classes({ notable: [notableEntry('web/web/dist', { uid: 1, mode: 0o555 })] }, { ownerUid: 0 }),
    ).toEqual(['ownership-drift-residual proven'])
  })

  it('is none where it is a folder of the runner itself', () => {
    expect(classes({ notable: rootOwned('_temp') })).toEqual(['ownership-drift-residual proven'])
  })

  it('is judged by the declared account rather than the owner of the work folder', () => {
    const facts = {
      folder: { kind: 'folder', uid: 0, id: '1:2', root: { id: '1:1', path: '/srv/honey-am-2' } } as const,
      notable: [notableEntry('web/web', { uid: 0 })],
    }
    expect(classes(facts, { ownerUid: runnerUid })).toEqual(['single-repo-candidate likely'])
  })
})

describe('a single file of root', () => {
  it('is drift, since the directory decides what can be removed', () => {
    expect(classes({ notable: [notableEntry('web/web/a.txt', { kind: 'file' })] })).toEqual([
      'ownership-drift-residual proven',
    ])
  })
})

describe('a reading that was cut', () => {
  const cuts = ['more than 60 s were needed']
  it('never makes the only folder that was seen a candidate', () => {
    const { findings, unjudged } = judged({ notable: [notableEntry('web/web/dist')], cuts })
    expect(findings).toEqual([])
    expect(unjudged.map((each) => each.class)).toContain('single-repo-candidate')
    expect(unjudged[0]?.why).toContain('cannot be emptied so far: web')
  })

  it('still shows that there are several', () => {
    expect(classes({ notable: [...rootOwned('web'), ...rootOwned('api')], cuts })).toContain(
      'multi-repo-contaminated proven',
    )
  })

  it('is never healthy', () => {
    expect(judged({ cuts })).toMatchObject({ verdict: 'unknown' })
    expect(judged({ cuts, top: [] })).toMatchObject({ verdict: 'unknown' })
  })
})

describe('a Worker', () => {
  const notable = [...rootOwned('web'), gitLock('web/web/.git/index.lock', 60 * minuteMs)]
  it.each(['here', 'unknown'] as const)('that is %s keeps everything from being judged', (place) => {
    const { verdict, findings, unjudged } = judged({ notable, processes: [runnerProcess({ place })] })
    expect({ verdict, findings }).toEqual({ verdict: 'in-use', findings: [] })
    expect(unjudged[0]?.why).toContain('the process 812 is named Runner.Worker')
  })

  it('of another runner on the same machine does not', () => {
    expect(judged({ notable, processes: [runnerProcess({ place: 'elsewhere' })] }).verdict).toBe(
      'contaminated',
    )
  })

  it('that may be hidden keeps it too', () => {
    const { verdict, findings } = judged({ notable, areProcessesWhole: false })
    expect({ verdict, findings }).toEqual({ verdict: 'unknown', findings: [] })
  })

  it('on a host in order leaves nothing open', () => {
    expect(judged({ processes: [runnerProcess()] })).toMatchObject({ verdict: 'in-use', unjudged: [] })
  })
})

describe('a Listener without a Worker', () => {
  it('is named in the evidence, since it may get a job at any time', () => {
    const { findings } = judged({
      notable: rootOwned('web'),
      processes: [runnerProcess({ role: 'listener', pid: 7 })],
    })
    expect(findings[0]?.evidence.map(({ text }) => text)).toContain(
      'Runner.Listener runs (7): it may get a job at any time',
    )
  })
})

describe('a lock of git', () => {
  it('is stale after ten minutes without a Worker', () => {
    const { findings } = judged({ notable: [gitLock('web/web/.git/refs/heads/main.lock', 10 * minuteMs)] })
    expect(findings).toMatchObject([{ class: 'stale-git-lock', subject: { name: 'honey-am-2:web' } }])
  })

  it.each([9 * minuteMs, -minuteMs])('that is %i ms old is not judged', (ageMs) => {
    const { findings, unjudged } = judged({ notable: [gitLock('web/web/.git/index.lock', ageMs)] })
    expect(findings).toEqual([])
    expect(unjudged.map((each) => each.class)).toEqual(['stale-git-lock'])
  })

  it('is no lock outside of .git: package managers have files of that name', () => {
    expect(judged({ notable: [gitLock('web/web/yarn.lock', 60 * minuteMs)] }).findings).toEqual([])
  })
})

describe('the work folder itself', () => {
  it.each(['missing', 'symlink', 'unreadable'] as const)('that is %s leaves everything open', (kind) => {
    const { verdict, findings, unjudged } = judged({ folder: { kind } })
    expect({ verdict, findings }).toEqual({ verdict: 'unknown', findings: [] })
    expect(unjudged.length).toBeGreaterThan(0)
  })
})

describe('an unreachable host', () => {
  it('is not judged at all', () => {
    const reading = { kind: 'unreachable', why: 'Connection refused', needs: null } as const
    expect(judgeHost(runnerHost(), reading, lookedAt)).toMatchObject({
      verdict: 'unreachable',
      findings: [],
      unjudged: [{ class: 'unreachable-host', why: 'honey-am-2: Connection refused' }],
    })
  })
})

describe('the space of a work folder', () => {
  const space = { freeBytes: 5, totalBytes: 100, freeInodes: 5, totalInodes: 100 }
  it('is low below 5 % of bytes or inodes', () => {
    expect(classes({ space: { ...space, freeBytes: 4 } })).toEqual(['work-folder-low-space proven'])
    expect(classes({ space: { ...space, freeInodes: 4 } })).toEqual(['work-folder-low-space proven'])
  })
  it('is not low at 5 %, nor where inodes are not counted', () => {
    expect(classes({ space })).toEqual([])
    expect(classes({ space: { ...space, freeInodes: 0, totalInodes: 0 } })).toEqual([])
  })
})

describe('any host', () => {
  const entries = fc.subarray([
    ...rootOwned('web'),
    ...rootOwned('api'),
    gitLock('api/api/.git/index.lock', 60 * minuteMs),
  ])
  it('with a Worker that is or may be there gets no finding by which something could be removed', () => {
    const place = fc.constantFrom('here', 'unknown')
    fc.assert(
      fc.property(entries, place, fc.boolean(), (notable, where, areProcessesWhole) => {
        const processes = areProcessesWhole ? [runnerProcess({ place: where as 'here' })] : []
        expect(judged({ notable, processes, areProcessesWhole }).findings).toEqual([])
      }),
    )
  })
})
