import { describe, expect, it } from 'vitest'
import { readGitlabConfig } from '../../../gitlab-config/index.ts'
import {
  containerFact,
  listed,
  objectFact,
  podFact,
  snapshotOf,
  unread,
} from '../../snapshot/testing/facts.ts'
import { judged } from '../testing/judge.ts'
import { gitlabToml } from './index.ts'

const gib = 2 ** 30

/** A file in order, with lines of a test inside of `[runners.kubernetes]`. */
const file = (inside = '', { top = '', runner = '' } = {}): string =>
  `concurrent = 4
${top}
[[runners]]
  name = "hf"
  url = "https://gitlab.example.com"
  token = "glrt-secretsecretsecret"
  executor = "kubernetes"
${runner}
  [runners.kubernetes]
    namespace = "ci"
    memory_limit = "1Gi"
${inside}
`

const judge = (text: string, snapshot = snapshotOf()) =>
  judged(gitlabToml, snapshot, { gitlabConfig: readGitlabConfig('config.toml', () => text) })

/** `class line severity`, sorted by line. */
const seen = (text: string, snapshot = snapshotOf()) =>
  judge(text, snapshot)
    .findings.map(({ class: name, subject, severity }) => ({ name, line: subject.name, severity }))
    .map(({ name, line, severity }) => `${name} ${line.replace('config.toml:', '')} ${severity}`)

describe('a config.toml that is in order', () => {
  it.each([
    ['of one runner', file()],
    [
      'with nested tables after its own keys',
      file('    [runners.kubernetes.node_selector]\n      disk = "ssd"'),
    ],
    ['with keys in another letter case, which GitLab Runner finds', file('    CPU_Limit = "2"')],
    [
      'with a patch and its feature flag',
      file(
        '    [[runners.kubernetes.pod_spec]]\n      name = "x"\n      patch_type = "strategic"\n      patch = "a: b"\n  [runners.feature_flags]\n    FF_USE_ADVANCED_POD_SPEC_CONFIGURATION = true',
      ),
    ],
    [
      'with the flag in its environment',
      file('    [[runners.kubernetes.pod_spec]]\n      name = "x"\n      patch = "a: b"', {
        runner: '  environment = ["FF_USE_ADVANCED_POD_SPEC_CONFIGURATION=true", "A=b=c"]',
      }),
    ],
    ['with an empty amount, which means none', file('    cpu_limit = ""')],
    ['with equal request and limit', file('    memory_request = "1024Mi"')],
    ['with a bounded namespace for jobs', file('    namespace_overwrite_allowed = "^ci-.*$"')],
    ['with one Docker daemon', file('    [[runners.kubernetes.services]]\n      name = "docker:27-dind"')],
    [
      'with an empty volume next to the Nix store',
      file('    [[runners.kubernetes.volumes.empty_dir]]\n      name = "n"\n      mount_path = "/nix-cache"'),
    ],
    [
      'with labels of its pods that are named like words',
      file('    [runners.kubernetes.pod_labels]\n      image = "base"\n      host = "a"'),
    ],
    [
      'of a Docker executor, inside of which nothing is judged',
      'concurrent = 2\n[[runners]]\n  name = "d"\n  executor = "docker"\n  [runners.docker]\n    image = "x"\n    unheard_of = 1\n',
    ],
    ['with policies in a list', file('    pull_policy = ["always", "if-not-present"]')],
  ])('has no finding: %s', (_, text) => {
    expect(seen(text)).toEqual([])
  })
})

describe('a config.toml with a mistake', () => {
  it.each([
    ['no TOML', file('    image = busybox'), ['toml-unreadable 12 critical']],
    ['a key twice', file('    memory_limit = "2Gi"'), ['toml-unreadable 12 critical']],
    [
      'nested resources',
      file(
        '    [runners.kubernetes.resources]\n      [runners.kubernetes.resources.limits]\n        cpu = "1"',
      ),
      ['nested-resource-keys 12 warning'],
    ],
    [
      'nested resources in one line',
      file('    resources = { limits = { memory = "1Gi" } }'),
      ['nested-resource-keys 12 warning'],
    ],
    [
      'a string after node_selector',
      file('    [runners.kubernetes.node_selector]\n      disk = "ssd"\n    cpu_limit = "1"'),
      ['key-after-table 14 critical'],
    ],
    [
      'a boolean after node_selector',
      file('    [runners.kubernetes.node_selector]\n    namespace_per_job = true'),
      ['key-after-table 13 critical'],
    ],
    [
      'a boolean whose name may be a label, after node_selector',
      file('    [runners.kubernetes.node_selector]\n    privileged = true'),
      ['key-after-table 13 critical'],
    ],
    [
      'a key after pod_labels',
      file('    [runners.kubernetes.pod_labels]\n    cpu_limit = "1"'),
      ['key-after-table 13 warning'],
    ],
    [
      'a key after affinity',
      file('    [runners.kubernetes.affinity]\n    cpu_limit = "1"'),
      ['key-after-table 13 warning'],
    ],
    [
      'a key after volumes',
      file(
        '    [[runners.kubernetes.volumes.empty_dir]]\n    name = "x"\n    mount_path = "/x"\n    cpu_limit = "1"',
      ),
      ['key-after-table 15 warning'],
    ],
    [
      'concurrent in a runner',
      'listen_address = ":9252"\n[[runners]]\n  name = "a"\n  concurrent = 2\n',
      ['key-after-table 4 warning'],
    ],
    [
      'kubernetes at the top',
      'concurrent = 2\n[[runners]]\n  name = "a"\n[kubernetes]\n  namespace = "ci"\n',
      ['key-after-table 4 warning'],
    ],
    [
      'limits of jobs in a runner',
      file('', { runner: '  memory_limit = "2Gi"' }),
      ['key-after-table 8 warning'],
    ],
    ['a misspelt key', file('    memory_limits = "1Gi"'), ['unknown-key 12 warning']],
    ['pod_spec in a string', file('    pod_spec = "a: b"'), ['podspec-type 12 critical']],
    [
      'pod_spec in a table',
      file('    [runners.kubernetes.pod_spec]\n      name = "x"'),
      ['podspec-type 12 critical'],
    ],
    [
      'pod_spec without its flag',
      file('    [[runners.kubernetes.pod_spec]]\n      name = "x"\n      patch = "a: b"'),
      ['podspec-type 12 warning'],
    ],
    [
      'containers in pod_spec',
      file(
        '    [[runners.kubernetes.pod_spec]]\n      containers = []\n  [runners.feature_flags]\n    FF_USE_ADVANCED_POD_SPEC_CONFIGURATION = true',
      ),
      ['podspec-type 13 warning'],
    ],
    [
      'kubernetes in double brackets',
      'concurrent = 2\n[[runners]]\n  name = "a"\n  [[runners.kubernetes]]\n    namespace = "ci"\n',
      ['value-type 4 critical'],
    ],
    ['runners in single brackets', 'concurrent = 2\n[runners]\n  name = "a"\n', ['value-type 2 critical']],
    ['a number for a string', file('    cpu_limit = 2'), ['value-type 12 critical']],
    ['a string for a boolean', file('    privileged = "true"'), ['value-type 12 critical']],
    ['a string for a number', file('    poll_timeout = "600"'), ['value-type 12 critical']],
    ['a string for a struct', file('    affinity = "x"'), ['value-type 12 critical']],
    ['a list for a map, which is dropped', file('    node_selector = ["a=b"]'), ['value-type 12 warning']],
    [
      'a table for the environment',
      file('', { runner: '  environment = { A = "b" }' }),
      ['value-type 8 critical'],
    ],
    ['a number among strings', file('    allowed_images = ["a", 1]'), ['value-type 12 critical']],
    [
      'a label that is no string',
      file('    [runners.kubernetes.pod_labels]\n      team = 7'),
      ['value-type 13 critical'],
    ],
    ['an amount that is none', file('    cpu_limit = "1GB!"'), ['value-refused 12 critical']],
    ['an unknown pull policy', file('    pull_policy = "sometimes"'), ['value-refused 12 critical']],
    [
      'an unknown executor',
      'concurrent = 2\n[[runners]]\n  executor = "kubernets"\n',
      ['value-refused 3 critical'],
    ],
    [
      'a variable without a name',
      file('', { runner: '  environment = ["A=b", "hunter2"]' }),
      ['value-refused 8 warning'],
    ],
    ['a request above its limit', file('    memory_request = "2Gi"'), ['request-above-limit 12 critical']],
    [
      'a request of the helper above its limit',
      file('    helper_cpu_request = "2"\n    helper_cpu_limit = "1500m"'),
      ['request-above-limit 12 critical'],
    ],
    ['no slot at all', 'concurrent = 0\n[[runners]]\n  name = "a"\n', ['concurrency-mismatch 1 critical']],
    [
      'fewer slots than runners',
      'concurrent = 1\n[[runners]]\n  name = "a"\n[[runners]]\n  name = "b"\n',
      ['concurrency-mismatch 1 warning'],
    ],
    [
      'limits that never fill the slots',
      'concurrent = 9\n[[runners]]\n  name = "a"\n  limit = 3\n[[runners]]\n  name = "b"\n  limit = 5\n',
      ['concurrency-mismatch 1 notice'],
    ],
    ['a limit above the slots', file('', { runner: '  limit = 9' }), ['concurrency-mismatch 8 notice']],
    [
      'more requests than jobs',
      file('', { runner: '  limit = 4\n  request_concurrency = 5' }),
      ['concurrency-mismatch 9 notice'],
    ],
    ['no look at the pod before the end', file('    poll_timeout = 2'), ['start-timeout 12 critical']],
    ['little time to start', file('    poll_timeout = 30'), ['start-timeout 12 notice']],
    [
      'any namespace for jobs',
      file('    namespace_overwrite_allowed = ".*"'),
      ['overwrite-unbounded 12 warning'],
    ],
    [
      'any service account for jobs',
      file('    service_account_overwrite_allowed = "^(.+)$"'),
      ['overwrite-unbounded 12 warning'],
    ],
    [
      'two Docker daemons',
      file(
        '    [[runners.kubernetes.services]]\n      name = "docker:27-dind"\n    [[runners.kubernetes.services]]\n      name = "registry.example.com/library/docker:dind"',
      ),
      ['services-collide 14 warning'],
    ],
    [
      'an empty Nix store',
      file('    [[runners.kubernetes.volumes.empty_dir]]\n      name = "n"\n      mount_path = "/nix/store"'),
      ['nix-store-shadowed 14 warning'],
    ],
  ])('has one finding, at its line: %s', (_, text, expected) => {
    expect(seen(text)).toEqual(expected)
  })

  it('never quotes a token or a variable', () => {
    const text = file('    bearer_token = 7', {
      runner: '  environment = ["hunter2"]\n  tokn = "glrt-hunter2"',
    })
    const all = JSON.stringify(judge(text))
    expect(all).toContain('tokn')
    expect(all).not.toMatch(/hunter2|glrt-secret/)
  })

  it('says which key was meant, and where a key belongs', () => {
    const next = (text: string) => judge(text).findings[0]?.nextAllowedAction.text
    expect(next(file('    memory_limits = "1Gi"'))).toContain('Did you mean memory_limit?')
    expect(next(file('    [runners.kubernetes.affinity]\n    cpu_limit = "1"'))).toContain(
      'Move cpu_limit to runners.kubernetes, before the header',
    )
  })

  it('leaves everything else unjudged where it is no TOML', () => {
    const { unjudged } = judge('a = [')
    expect(unjudged.map(({ class: name }) => name)).toContain('unknown-key')
    expect(unjudged.map(({ class: name }) => name)).not.toContain('toml-unreadable')
  })
})

const range = (max: number) => ({
  ...objectFact('limits', 'ci'),
  limits: [
    { type: 'Container', max: { memory: max * gib }, min: {}, defaultLimits: {}, defaultRequests: {} },
  ],
})

const jobPod = (limit: number | null, given: Parameters<typeof podFact>[1] = {}) =>
  podFact('runner-secretsec-project-7-concurrent-0-abcdefgh', {
    namespace: 'ci',
    labels: { 'job.runner.gitlab.com/pod': 'x', 'manager.runner.gitlab.com/name': 'hf' },
    containers: [
      containerFact({ name: 'build', requests: {}, limits: limit === null ? {} : { memory: limit * gib } }),
      containerFact({ name: 'helper', requests: {}, limits: {} }),
    ],
    ...given,
  })

describe('a config.toml and its cluster', () => {
  it.each([
    ['a limit above the most that the namespace allows', file(), 0.5, ['limit-range-conflict 11 critical']],
    [
      'a job that may ask for more than is allowed',
      file('    memory_limit_overwrite_max_allowed = "4Gi"'),
      2,
      ['limit-range-conflict 12 notice'],
    ],
    ['a limit within it', file(), 2, []],
  ])('with a LimitRange: %s', (_, text, max, expected) => {
    const limitRanges = listed([range(max)])
    expect(seen(text, snapshotOf({ cluster: { limitRanges } }))).toEqual(expected)
  })

  it('does not compare with the LimitRange of another namespace', () => {
    const limitRanges = listed([{ ...range(0.5), namespace: 'other' }])
    expect(seen(file(), snapshotOf({ cluster: { limitRanges } }))).toEqual([])
  })

  it.each([
    ['another limit', jobPod(8), ['job-limit-drift 11 warning']],
    ['no limit', jobPod(null), ['job-limit-drift 11 warning']],
    ['the same limit', jobPod(1), []],
    ['another limit, and has ended', jobPod(8, { phase: 'Failed' }), []],
    [
      'another limit, and is of another runner',
      jobPod(8, { labels: { 'manager.runner.gitlab.com/name': 'b' } }),
      [],
    ],
  ])('with a live job pod that has %s', (_, pod, expected) => {
    expect(seen(file(), snapshotOf({ cluster: { pods: listed([pod]) } }))).toEqual(expected)
  })

  it('does not call it drift where jobs may ask for other limits', () => {
    const text = file('    memory_limit_overwrite_max_allowed = "8Gi"')
    expect(seen(text, snapshotOf({ cluster: { pods: listed([jobPod(8)]) } }))).toEqual([])
  })

  it('names the limit that pods have instead of one at the wrong place', () => {
    const text = file('    [runners.kubernetes.affinity]\n    cpu_limit = "2"')
    const build = containerFact({ name: 'build', requests: {}, limits: { cpu: 0.5, memory: gib } })
    const evidence = (containers: readonly ReturnType<typeof containerFact>[]) =>
      judge(text, snapshotOf({ cluster: { pods: listed([jobPod(1, { containers })]) } })).findings[0]
        ?.evidence
    expect(evidence([build])?.at(-1)?.text).toContain('build has a cpu limit of 500m')
    expect(evidence([])).toHaveLength(1)
  })

  it('names the limits that pods have instead of those in a table that nobody reads', () => {
    const text = file('    [runners.kubernetes.resources.limits]\n    memory = "2Gi"')
    const build = containerFact({ name: 'build', requests: {}, limits: { memory: gib } })
    const pods = listed([jobPod(1, { containers: [build] })])
    const [finding] = judge(text, snapshotOf({ cluster: { pods } })).findings
    expect(finding?.class).toBe('nested-resource-keys')
    expect(finding?.evidence.map(({ text: each }) => each.split(': ').at(-1))).toEqual([
      'runners.kubernetes.resources',
      'build has a cpu limit of none',
      'build has a memory limit of 1Gi',
    ])
  })

  it('shows what the file says and what pods have, and what could not be read', () => {
    const snapshot = snapshotOf({
      cluster: { pods: listed([jobPod(8)]), limitRanges: unread('limitranges') },
    })
    const { tables, unjudged } = judge(file(), snapshot)
    expect(tables[0]?.rows).toEqual([['hf', 'memory_limit', '1Gi', '8Gi']])
    expect(unjudged.map(({ class: name }) => name)).toEqual(['limit-range-conflict'])
  })

  it('does not say that there is no pod where pods could not be read', () => {
    const live = (pods: ReturnType<typeof unread<never>>) =>
      judge(file(), snapshotOf({ cluster: { pods } })).tables[0]?.rows[0]?.at(-1)
    expect(live(unread('pods'))).toBe('not known')
    expect(live(listed())).toBe('no pod')
  })

  it('is not judged at all without a file, and says which option gives one', () => {
    const { findings, unjudged } = judged(gitlabToml, snapshotOf())
    expect(findings).toEqual([])
    expect(unjudged).toHaveLength(gitlabToml.classes.length)
    expect(unjudged[0]?.needs).toContain('--file')
  })
})
