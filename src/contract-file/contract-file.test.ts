import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contract, draftContract } from '../domain/audit/index.ts'
import { found, judged } from '../domain/audit/testing/judge.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import {
  containerFact,
  listed,
  nodeFact,
  scaleSetFact,
  snapshotOf,
  templateFact,
} from '../domain/snapshot/testing/facts.ts'
import { readContract, writeContract } from './index.ts'
import { contractSchema } from './schema.ts'

const full = `version: 1
minimumRunnerVersion: 2.329.0
lanes:
  - label: linux
    scaleSets: [arc-runners/linux]
    minRunners: 0
    maxRunners: 20
    containers:
      runner:
        image: ghcr.io/acme/runner:2.331.0
        requests: { cpu: 500m, memory: 1Gi }
        limits: { memory: 8Gi }
    nodes: [honey]
    volumes:
      - mountPath: /home/runner/_work
        storageClass: local-path-fast
    credential: github-app
    pullSecret: ghcr-pull
    afterOom: linux-heavy
    priorityPolicy: true
    declaredIn:
      lane: tofu/lanes.tfvars:40
      maxRunners: tofu/lanes.tfvars:43
  - label: linux-heavy
fixes:
  - name: pf table busy
    symptom: cannot define table
    image: ghcr.io/acme/host-operator
    fixedIn: 1.4.0
    fixedAt: 2026-05-12T09:00:00Z
    without: [af8204b1]
images:
  - image: ghcr.io/acme/host-operator:main
    labels:
      org.opencontainers.image.revision: af8204b1
      org.opencontainers.image.created: 2026-05-01T00:00:00Z
      maintainer: acme
nixCache:
  server: http://attic.nix-cache:8080
  cache: main
  lanes: [linux]
runnerHosts:
  - name: honey-am-2
    root: /srv/honey-am-2
    ownerUid: 1001
    service: { kind: systemd, unit: actions.runner.acme.honey-am-2.service }
    ssh: { address: honey.example.org, user: runner, knownHosts: /etc/holdfast/known_hosts }
  - { name: here, root: /srv/here, workFolder: work, service: { kind: svc.sh } }
`

describe('a contract file', () => {
  it('is read with the place of every part: its own, its lane, or its line in the file', () => {
    const { lanes, fixes, images, nixCache, minimumRunnerVersion } = read(full)
    expect(lanes[0]).toMatchObject({
      label: 'linux',
      maxRunners: 20,
      containers: [
        { name: 'runner', requests: { cpu: 0.5, memory: 2 ** 30 }, limits: { memory: 8 * 2 ** 30 } },
      ],
      hasPriorityPolicy: true,
      source: { file: 'tofu/lanes.tfvars', line: 40 },
      places: {
        maxRunners: { file: 'tofu/lanes.tfvars', line: 43 },
        nodes: { file: 'tofu/lanes.tfvars', line: 40 },
      },
    })
    expect(lanes[1]?.source).toEqual({ file: 'contract.yaml', line: 24 })
    expect(fixes[0]).toMatchObject({
      fixedIn: '1.4.0',
      fixedAt: Date.parse('2026-05-12T09:00:00Z'),
      without: ['af8204b1'],
    })
    expect(images).toEqual([
      {
        image: 'ghcr.io/acme/host-operator:main',
        version: null,
        revision: 'af8204b1',
        builtAt: Date.parse('2026-05-01T00:00:00Z'),
      },
    ])
    expect([nixCache?.cache, minimumRunnerVersion]).toEqual(['main', '2.329.0'])
  })

  it('declares runner hosts, with the usual work folder and port', () => {
    const { runnerHosts } = read(full)
    expect(runnerHosts).toEqual([
      {
        name: 'honey-am-2',
        root: '/srv/honey-am-2',
        workFolder: '_work',
        ownerUid: 1001,
        service: { kind: 'systemd', unit: 'actions.runner.acme.honey-am-2.service' },
        ssh: {
          address: 'honey.example.org',
          port: 22,
          user: 'runner',
          knownHosts: '/etc/holdfast/known_hosts',
          identityFile: null,
        },
      },
      {
        name: 'here',
        root: '/srv/here',
        workFolder: 'work',
        ownerUid: null,
        service: { kind: 'svc.sh' },
        ssh: null,
      },
    ])
    expect(read(writeContract(read(full))).runnerHosts).toEqual(runnerHosts)
  })

  it.each([
    'root: srv/honey',
    'root: /srv/../etc',
    'root: /srv/$(reboot)',
    'root: /srv/honey/',
    'root: /',
    'root: "/srv/ho ney"',
    'root: "/srv/honey\\n/etc"',
    'service: svc.sh',
    'service: { kind: sh }',
    'service: { kind: systemd }',
    'service: { kind: systemd, unit: "a; reboot" }',
    'service: { kind: systemd, unit: --user }',
    'service: { kind: svc.sh, unit: a }',
    'workFolder: a/b',
    'workFolder: -delete',
    'workFolder: ..',
    'ownerUid: -1',
    'name: -oProxyCommand=id',
    'ssh: { address: -oProxyCommand=id, user: runner, knownHosts: /etc/known }',
    'ssh: { address: honey, user: "a b", knownHosts: /etc/known }',
    'ssh: { address: honey, user: runner, knownHosts: known }',
    'ssh: { address: honey, user: runner }',
    'ssh: { address: honey, user: runner, knownHosts: /etc/known, port: 0 }',
  ])('with a runner host of %s is refused', (line) => {
    const fields = { name: 'name: a', root: 'root: /srv/a', [line.split(':', 1)[0] ?? '']: line }
    const text = `version: 1\nrunnerHosts:\n  - ${Object.values(fields).join('\n    ')}\n`
    expect(problemsOf(text).join()).toMatch(/^runnerHosts\[0\]\.\w+.* \(contract\.yaml:\d\): got /)
  })

  it.each([
    ['a newer version', 'version: 2', 'version (contract.yaml:1): got 2, expected 1'],
    ['no version', 'lanes: []', 'version (contract.yaml:1): got nothing, expected 1'],
    [
      'an unknown key',
      'version: 1\nlanes:\n  - label: a\n    maxRuners: 3',
      'lanes[0].maxRuners (contract.yaml:4): got an unknown key, expected a known name; did you mean maxRunners?',
    ],
    [
      'an amount that is none',
      'version: 1\nlanes:\n  - label: a\n    containers:\n      runner:\n        limits: { memory: 8 Gigs }',
      'lanes[0].containers.runner.limits.memory (contract.yaml:6): got "8 Gigs", expected an amount such as 500m, 2, 512Mi or 10Gi',
    ],
    [
      'a place without a line',
      'version: 1\nlanes:\n  - label: a\n    declaredIn:\n      lane: lanes.tfvars',
      `lanes[0].declaredIn.lane (contract.yaml:5): got "lanes.tfvars", expected a file and a line, such as 'tofu/lanes.tfvars:42'`,
    ],
    [
      'a version that YAML reads as a number',
      'version: 1\nminimumRunnerVersion: 2.3',
      `minimumRunnerVersion (contract.yaml:2): got 2.3, expected a version as text, such as '2.329.0'`,
    ],
    [
      'an image without a tag',
      'version: 1\nimages:\n  - image: ghcr.io/acme/operator\n    labels: {}',
      'images[0].image (contract.yaml:3): got "ghcr.io/acme/operator", expected an image with its tag or digest, such as ghcr.io/acme/operator:main',
    ],
    [
      'a time that is none',
      'version: 1\nfixes:\n  - { name: a, symptom: b, image: c, fixedIn: d, fixedAt: yesterday }',
      `fixes[0].fixedAt (contract.yaml:3): got "yesterday", expected a time as text, such as '2026-05-12T09:00:00Z'`,
    ],
    [
      'a lane after an OOM that is not declared',
      'version: 1\nlanes:\n  - label: a\n    afterOom: b',
      'lanes[0].afterOom (contract.yaml:4): got b, expected another lane: the label of a lane in this file (a)',
    ],
    [
      'more runners at least than at most',
      'version: 1\nlanes:\n  - label: a\n    minRunners: 5\n    maxRunners: 2',
      'lanes[0].minRunners (contract.yaml:4): got 5, expected at most maxRunners, 2',
    ],
    [
      'a request above its limit',
      'version: 1\nlanes:\n  - label: a\n    containers:\n      runner: { requests: { memory: 2Gi }, limits: { memory: 1Gi } }',
      'lanes[0].containers.runner.requests.memory (contract.yaml:5): got 2Gi, expected at most its limit, 1Gi',
    ],
    [
      'a runner host twice',
      'version: 1\nrunnerHosts:\n  - { name: a, root: /a }\n  - { name: a, root: /b }',
      'runnerHosts[1].name (contract.yaml:4): got a a second time, expected each runner host once',
    ],
    [
      'a scale set twice for one label',
      'version: 1\nlanes:\n  - label: a\n    scaleSets: [x]\n  - label: a\n    scaleSets:\n      - x',
      'lanes[1].scaleSets[0] (contract.yaml:7): got x a second time for a, expected each scale set once for each label',
    ],
  ])('with %s is refused, with file, line, expected and got', (_, text, problem) => {
    expect(problemsOf(text)).toContain(problem)
  })

  it('is written as it was read', () => {
    const { fixes, images } = read(full)
    expect(read(writeContract(read(full)))).toMatchObject({ fixes, images })
  })

  it('that is not YAML is refused with the line at which reading ended', () => {
    expect(problemsOf('version: 1\nlanes: [').join()).toMatch(
      /^contract\.yaml \(contract\.yaml:2\): got .*, expected valid YAML$/,
    )
  })

  it('that is not there is refused by its name', () => {
    expect(() => readContract('gone.yaml', () => undefined)).toThrow('gone.yaml: got no such file')
  })
})

describe('docs/contract-file.md', () => {
  const page = readFileSync(new URL('../../docs/contract-file.md', import.meta.url), 'utf8')

  it('shows an example that is read, with lanes of every kind of source', () => {
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
    const { lanes, fixes, nixCache } = read(example)
    expect(lanes.map(({ label, source }) => `${label} ${source?.file}:${source?.line}`)).toEqual([
      'linux tofu/honey.tfvars:40',
      'linux-heavy overlays/heavy/kustomization.yaml:12',
      'gitlab-nix gitlab/config.toml:31',
    ])
    expect(lanes[0]?.places.containers).toEqual({ file: 'charts/linux/values.yaml', line: 17 })
    expect([fixes.length, nixCache?.lanes]).toEqual([1, ['linux-heavy']])
  })
  it('describes every field, and no other', () => {
    const described = [...page.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(?:lanes\[\]\.)?([\w]+)(?:\[\])?`/g)].map(([, name]) => name),
    )
    const known = [
      ...Object.keys(contractSchema.shape),
      ...Object.keys(contractSchema.shape.lanes.unwrap().element.shape),
    ]
    expect(described.sort()).toEqual(known.filter((name) => name !== 'lanes').sort())
  })
})

describe('a contract written from a snapshot', () => {
  const template = templateFact({
    containers: [
      containerFact({
        requests: { cpu: 0.25, memory: 1.5 * 2 ** 30 },
        limits: { 'ephemeral-storage': 40 * 2 ** 30 },
      }),
      containerFact({ name: 'dind', image: 'docker:27-dind', isInit: true, isSidecar: true }),
    ],
    nodeSelector: { pool: 'ci' },
    imagePullSecrets: ['ghcr-pull'],
    volumes: [
      {
        name: 'work',
        kind: 'ephemeral-claim',
        claim: null,
        storageClass: 'fast',
        sizeBytes: null,
        mountPaths: ['/home/runner/_work'],
      },
    ],
  })
  const snapshot = snapshotOf({
    cluster: {
      scaleSets: listed([
        scaleSetFact('linux', { template, runnerLabels: ['linux', 'linux-x64'], maxRunners: null }),
        scaleSetFact('plain', { minRunners: 2, credentialSecret: null }),
      ]),
      nodes: listed([nodeFact('honey', { labels: { pool: 'ci' }, isCordoned: true }), nodeFact('sting')]),
    },
  })

  it('is read as the same contract, and the audit of that snapshot finds nothing', () => {
    const draft = draftContract(snapshot, 'contract.yaml')
    const again = read(writeContract(draft))
    expect(again.lanes.map(withoutPlaces)).toEqual(draft.lanes.map(withoutPlaces))
    expect(judged(contract, snapshot, { contract: again })).toMatchObject({ findings: [], unjudged: [] })
  })
  it('names the nodes that a selector leads to', () => {
    expect(draftContract(snapshot, 'c').lanes.map(({ nodes }) => nodes)).toEqual([['honey'], ['honey'], []])
  })
  it('shows what changed since', () => {
    const later = snapshotOf({ cluster: { scaleSets: listed([scaleSetFact('plain', { minRunners: 3 })]) } })
    const declared = read(writeContract(draftContract(snapshot, 'contract.yaml')))
    expect(found(judged(contract, later, { contract: declared }))).toEqual([
      'declared-live-drift plain',
      'declared-set-missing linux',
      'declared-set-missing linux-x64',
    ])
  })
})

function read(text: string) {
  return readContract('contract.yaml', () => text)
}

function problemsOf(text: string): readonly string[] {
  try {
    read(text)
  } catch (error) {
    if (error instanceof HoldfastError) return error.params.problems as readonly string[]
    throw error
  }
  return []
}

function withoutPlaces<T extends object>(lane: T) {
  return { ...lane, source: null, places: {} }
}
