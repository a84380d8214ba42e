import { describe, expect, it } from 'vitest'
import { parseRunnerPool, podSettingsGiven } from './index.ts'

const least = { labels: ['linux'], image: 'runner:1' }

function problems(over: Record<string, unknown>, name = 'linux'): readonly string[] {
  const parsed = parseRunnerPool(name, { ...least, ...over })
  return parsed.kind === 'wrong' ? parsed.problems : []
}

const template = (spec: Record<string, unknown>) => ({ template: { spec } })
const window = { cron: '0 8 * * mon-fri', zone: 'Europe/Berlin', durationMinutes: 60, minWarm: 2 }

describe('parseRunnerPool', () => {
  it('gives the pool and what its pods are made from, with every default', () => {
    expect(parseRunnerPool('linux', least)).toEqual({
      kind: 'pool',
      pool: {
        name: 'linux',
        labels: ['linux'],
        publicRepositories: 'refuse',
        forks: 'privateOnly',
        minWarm: 1,
        maxRunners: 4,
        warmWindows: [],
        priorities: [],
        idleTimeoutMs: 60_000,
        fairness: { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 1_800_000 },
        provisioning: { maxStartingPerNode: 10, startDeadlineMs: 300_000, unschedulableDeadlineMs: 600_000 },
        rollout: { maxConcurrentPercent: 25 },
      },
      pod: {
        shape: 'isolated',
        image: 'runner:1',
        command: null,
        runtimeClass: null,
        dind: null,
        resources: { requests: {}, limits: {} },
        template: {},
        stopGraceMs: 60_000,
        evidence: { tailLines: 200, tailBytes: 65_536, deadlineMs: 60_000 },
      },
    })
  })

  it('gives times in milliseconds and amounts as texts', () => {
    const resources = { requests: { cpu: 2, memory: '1Gi' }, limits: { memory: '2Gi' } }
    expect(
      parseRunnerPool('linux', {
        ...least,
        warmWindows: [window],
        resources,
        dind: {},
        idleTimeoutSeconds: 5,
        maxJobSeconds: 90,
      }),
    ).toMatchObject({
      pool: {
        warmWindows: [{ cron: window.cron, durationMs: 3_600_000, minWarm: 2 }],
        idleTimeoutMs: 5_000,
        maxJobMs: 90_000,
      },
      pod: { resources: { requests: { cpu: '2', memory: '1Gi' } }, dind: { image: 'docker:dind' } },
    })
  })

  it('leaves out what a newer definition may know', () => {
    const newer = { ...least, novelty: 1, fairness: { ageingMinutes: 5, novelty: {} } }
    expect(parseRunnerPool('linux', newer)).toMatchObject({ pool: { fairness: { ageingMs: 300_000 } } })
  })

  it('takes vitals where there is a command next to which they are started', () => {
    const withVitals = { ...least, vitals: true }
    expect(parseRunnerPool('linux', { ...withVitals, command: ['run.sh'] })).toMatchObject({
      pod: { vitals: true },
    })
    expect(parseRunnerPool('linux', withVitals)).toEqual({
      kind: 'wrong',
      problems: ['spec.vitals: got true, expected a command with it, next to which they are started'],
    })
  })

  it('takes nothing at all for a pool without labels', () => {
    expect(problems({ labels: undefined })).toEqual([
      'spec.labels: got nothing, expected a list (1 to 50) of texts',
    ])
    expect(parseRunnerPool('linux', null).kind).toBe('wrong')
  })

  it.each([
    [{ minWarm: 5 }, 'spec.minWarm: got 5, expected at most maxRunners'],
    [{ maxJobSeconds: 0 }, 'spec.maxJobSeconds: got 0, expected an integer from 1 to 3024000'],
    [{ maxJobSeconds: 1.5 }, 'spec.maxJobSeconds: got 1.5, expected an integer from 1 to 3024000'],
    [{ maxJobSeconds: '1h' }, 'spec.maxJobSeconds: got "1h", expected an integer from 1 to 3024000'],
    [
      { labels: ['a', 'A'] },
      'spec.labels: got ["a","A"], expected labels that differ in more than upper and lower case',
    ],
    [
      { image: undefined },
      'spec.image: got nothing, expected an image for the runner, such as ghcr.io/actions/actions-runner:latest',
    ],
    [{ maxRunners: 20_000 }, 'spec.maxRunners: got 20000, expected an integer from 1 to 10000'],
    [
      { warmWindows: [{ ...window, cron: '0 17-9 * * *' }] },
      'spec.warmWindows[0].cron: got "0 17-9 * * *", expected a range of the hour that goes upwards, not "17-9"',
    ],
    [
      { warmWindows: [{ ...window, zone: 'Mars/Phobos' }] },
      'spec.warmWindows[0].zone: got "Mars/Phobos", expected an IANA time zone such as Europe/Berlin or UTC',
    ],
    [
      { shape: 'single', dind: {} },
      'spec.dind: got {}, expected shape: isolated with it, because the daemon is a second container',
    ],
    [
      { resources: { requests: { memory: '1G' }, limits: { memory: '512Mi' } } },
      'spec.resources.requests: got {"memory":"1G"}, expected no request above its limit',
    ],
    [
      { resources: { limits: { cpu: 'two' } } },
      'spec.resources.limits.cpu: got "two", expected an amount such as 500m, 2, 512Mi or 10Gi',
    ],
    [
      template({ restartPolicy: 'Always' }),
      'spec.template: got {"spec":{"restartPolicy":"Always"}}, expected spec.restartPolicy: Never, or nothing: a runner takes one job and ends',
    ],
    [
      template({ containers: [{ name: 'runner', $patch: 'delete' }] }),
      'spec.template: got {"spec":{"containers":[{"name":"runner","$patch":"delete"}]}}, expected no $patch: a template adds to the containers of a runner and takes none away',
    ],
    [
      template({ initContainers: [{ name: 'check' }] }),
      'spec.template: got {"spec":{"initContainers":[{"name":"check"}]}}, expected no container check in spec.initContainers: Holdfast makes one of that name; give yours another',
    ],
    [
      { shape: 'single', ...template({ initContainers: [{ name: 'poller' }] }) },
      'spec.template: got {"spec":{"initContainers":[{"name":"poller"}]}}, expected no container poller in spec.initContainers with shape: single, which has none; give yours another name',
    ],
    [
      { runnerGroup: ' Fast' },
      'spec.runnerGroup: got " Fast", expected the name of a runner group, in one line without spaces around it, at most 200 characters',
    ],
    [
      template({ initContainers: [{ name: 'runner' }] }),
      'spec.template: got {"spec":{"initContainers":[{"name":"runner"}]}}, expected the container runner in spec.containers, not in spec.initContainers',
    ],
  ])('refuses %j and says what to write', (over, problem) => {
    expect(problems(over)).toEqual([problem])
  })

  it('takes what a template says of the poller where there is one', () => {
    expect(problems(template({ initContainers: [{ name: 'poller', resources: {} }] }))).toEqual([])
  })

  it('takes a runner group, and refuses it where the forge has none', () => {
    const spec = { labels: ['x'], image: 'a', runnerGroup: 'Fast builds' }
    expect(parseRunnerPool('a', spec)).toMatchObject({ pool: { runnerGroup: 'Fast builds' } })
    expect(parseRunnerPool('a', spec, { runnerGroups: true }).kind).toBe('pool')
    expect(parseRunnerPool('a', spec, { runnerGroups: false })).toEqual({
      kind: 'wrong',
      problems: [
        'spec.runnerGroup: got "Fast builds", expected nothing, because runners are in groups only at organisations and enterprises of GitHub (forge.kind, forge.scope)',
      ],
    })
    const { runnerGroup: _, ...plain } = spec
    expect(parseRunnerPool('a', plain, { runnerGroups: false }).kind).toBe('pool')
  })

  it('refuses a name that does not leave room for those of runners', () => {
    expect(problems({}, 'a'.repeat(40))).toEqual([])
    expect(problems({}, 'a'.repeat(41))).toEqual([
      `metadata.name: got "${'a'.repeat(41)}", expected lower-case letters, digits and inner hyphens, at most 40`,
    ])
  })

  it('refuses a template that fills the memory', () => {
    const annotations = { note: 'x'.repeat(70_000) }
    expect(problems({ template: { metadata: { annotations } } })).toEqual([
      expect.stringContaining('expected at most 64 KiB'),
    ])
  })
})

describe('podSettingsGiven', () => {
  it('names what was said of pods, and nothing that is so by itself', () => {
    expect(podSettingsGiven({ shape: 'isolated', template: {}, stopGraceSeconds: 60 })).toEqual([])
    expect(podSettingsGiven({ image: 'a', shape: 'single', resources: { limits: { cpu: 1 } } })).toEqual([
      ...['shape', 'image', 'resources'],
    ])
  })
})
