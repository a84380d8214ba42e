import { describe, expect, it } from 'vitest'
import type { ClusterFacts, DeploymentFact, EventFact, MachineFact, PodFact } from '../../snapshot/index.ts'
import {
  listed,
  minuteMs,
  nodeFact,
  objectFact,
  podFact,
  readAt,
  snapshotOf,
  unread,
} from '../../snapshot/testing/facts.ts'
import type { KnownFix, LabelledImage } from '../contract/contract.ts'
import { contractOf, found, judged } from '../testing/judge.ts'
import { hosts } from './index.ts'

const stderr = (line: number) =>
  `/etc/pf.anchors/acme.runners:${line}: cannot define table vm_sources: Resource busy\npfctl: Syntax error in config file: pf rules not loaded`

describe('hosts that fail again and again (bootstrap-loop)', () => {
  it('are one finding for one message, however many hosts and retries there are', () => {
    const events = [failed('m789d', stderr(11), 2300), failed('k2l4f', stderr(12), 41)]
    const machines = [machine('m789d'), machine('k2l4f')]
    const { findings } = judged(hosts, fleet({ events, machines }))
    expect(findings).toMatchObject([
      {
        class: 'bootstrap-loop',
        confidence: 'proven',
        summary:
          '2 hosts have failed 2341 times with the same message, between 2026-06-01 01:00 UTC and 2026-06-01 02:59 UTC.',
      },
    ])
    expect(findings[0]?.evidence.map(({ text }) => text)).toContain('hosts: m789d, k2l4f')
    expect(findings[0]?.mustNotConclude.join(' ')).toContain('A node that is Ready proves nothing')
  })
  it('are found by the conditions of Machines alone', () => {
    const machines = ['a', 'b', 'c'].map((name) =>
      machine(name, condition('BootstrapReady', 'False', 'BootstrapFailed', `host ${name}: ${stderr(11)}`)),
    )
    const { findings } = judged(hosts, fleet({ machines }))
    expect(findings.map(({ summary }) => summary.slice(0, 52))).toEqual([
      '3 hosts have failed 3 times with the same message, b',
    ])
  })
  it('say where a node of that name is there all the same', () => {
    const given = { events: [failed('m789d', stderr(11), 5)], machines: [machine('m789d')] }
    const texts = judged(hosts, fleet(given, { nodes: listed([nodeFact('m789d')]) })).findings[0]?.evidence
    expect(texts?.map(({ text }) => text)).toContain('a node of the same name is there for m789d')
  })
  it('are not found for a host that had one bad start, nor for different messages', () => {
    const events = [
      failed('a', 'disk not found', 1),
      failed('b', 'no address', 1),
      failed('c', 'key refused', 1),
    ]
    expect(
      found(judged(hosts, fleet({ events, machines: [machine('a'), machine('b'), machine('c')] }))),
    ).toEqual([])
  })
  it('are not found for a host that came up since', () => {
    const up = machine('m789d', { ...condition('BootstrapReady', 'True', null, null), at: readAt })
    expect(
      found(judged(hosts, fleet({ events: [failed('m789d', stderr(11), 30)], machines: [up] }))),
    ).toEqual([])
  })
  it('are not found for hosts that wait for their turn', () => {
    const machines = ['a', 'b', 'c'].map((name) =>
      machine(name, condition('BootstrapReady', 'False', 'WaitingForDataSecret', 'waiting')),
    )
    expect(found(judged(hosts, fleet({ machines })))).toEqual([])
  })
  it('are not concluded from events that ended hours ago', () => {
    const old = { ...failed('m789d', stderr(11), 30), lastAt: readAt - 120 * minuteMs }
    expect(found(judged(hosts, fleet({ events: [old], machines: [machine('m789d')] })))).toEqual([])
  })
  it('are unjudged where the Machine of the event was not read: it may have come up', () => {
    const judgement = judged(
      hosts,
      fleet({ events: [failed('m789d', stderr(11), 30)] }, { machines: unread('machines') }),
    )
    expect(judgement.findings).toEqual([])
    expect(judgement.unjudged).toEqual([
      { class: 'bootstrap-loop', why: 'machines: forbidden', needs: 'list machines' },
    ])
  })
})

describe('a fix that is not deployed (fix-not-deployed)', () => {
  const fix: KnownFix = {
    name: 'pf tables are flushed',
    symptom: 'cannot define table',
    image: 'ghcr.io/acme/host-operator',
    fixedIn: '1.4.0',
    fixedAt: Date.parse('2026-05-12T09:00:00Z'),
    without: ['af8204b1'],
  }
  const audit = (tag: string, events: readonly EventFact[] = []) =>
    judged(hosts, fleet({ events, machines: [machine('m789d')] }, { deployments: listed([operator(tag)]) }), {
      contract: contractOf({ fixes: [fix] }),
    })

  it.each(['1.3.9', 'af8204b1', 'v1.4.0-rc.2'])('is found where %s runs', (tag) => {
    const { findings } = audit(tag)
    expect(findings).toMatchObject([{ class: 'fix-not-deployed', severity: 'warning', confidence: 'proven' }])
    expect(findings[0]?.evidence[0]?.text).toBe('in use by Deployment capi-system/host-operator')
  })
  it('is critical where its symptom is printed, and the loop names the fix', () => {
    const { findings } = audit('af8204b1', [failed('m789d', stderr(11), 2300)])
    expect(findings.map(({ class: name, severity }) => `${name} ${severity}`)).toEqual([
      'bootstrap-loop critical',
      'fix-not-deployed critical',
    ])
    expect(findings[0]?.nextAllowedAction.text).toContain('deploy ghcr.io/acme/host-operator:1.4.0 or newer')
  })
  it.each(['1.4.0', '1.10.0'])('is not found where %s runs', (tag) => {
    expect(audit(tag)).toMatchObject({ findings: [], unjudged: [] })
  })
  it('is unjudged where the tag has no order', () => {
    const { findings, unjudged } = audit('0eabd38e')
    expect(findings).toEqual([])
    expect(unjudged[0]?.why).toContain('whether ghcr.io/acme/host-operator:0eabd38e is older than 1.4.0')
  })
  it('is not asked without a contract', () => {
    const snapshot = fleet({}, { deployments: unread('deployments') })
    expect(judged(hosts, snapshot)).toMatchObject({ findings: [], unjudged: [] })
  })

  describe('by the labels of an image whose tag has no order', () => {
    const image = 'ghcr.io/acme/host-operator'
    const digest = `sha256:${'a'.repeat(64)}`
    const none = { version: null, revision: null, builtAt: null }
    const pod = (given: Partial<PodFact> = {}) => {
      const base = podFact('host-operator-1', { namespace: 'capi-system', ...given })
      const containers = base.containers.slice(0, 1).map((each) => ({ ...each, image: `${image}:main` }))
      const statuses = base.statuses.slice(0, 1).map((each) => ({
        ...each,
        name: containers[0]?.name ?? '',
        imageId: `${image}@${digest}`,
      }))
      return { ...base, containers, statuses }
    }
    const byLabels = (labels: Partial<LabelledImage>, given: Partial<PodFact> = {}) => {
      const cluster = { deployments: listed([operator('main')]), pods: listed([pod(given)]) }
      const images = labels.image === undefined ? [] : [{ ...none, image: labels.image, ...labels }]
      return judged(hosts, fleet({}, cluster), { contract: contractOf({ fixes: [fix], images }) })
    }
    const exact = `${image}@${digest}`
    const before = Date.parse('2026-05-01T00:00:00Z')

    it.each([
      ['its version', { version: '1.3.9' }, 'its label says version 1.3.9'],
      [
        'its commit, which is listed',
        { revision: `af8204b1${'0'.repeat(32)}` },
        'its label says revision af8204b1',
      ],
      ['its time, which is before the fix', { builtAt: before }, 'it was built at 2026-05-01 00:00 UTC'],
    ])('is proven by %s, for the digest that runs', (_, labels, text) => {
      const { findings, unjudged } = byLabels({ image: exact, ...labels })
      expect(findings).toMatchObject([{ class: 'fix-not-deployed', confidence: 'proven' }])
      expect(findings[0]?.evidence.map((each) => each.text).join('\n')).toContain(text)
      expect(unjudged).toEqual([])
    })
    it('is only likely by labels of a tag, which may have been moved, and by annotations of its pods', () => {
      const annotations = { 'org.opencontainers.image.version': '1.3.9' }
      for (const { findings } of [
        byLabels({ image: `${image}:main`, version: '1.3.9' }),
        byLabels({}, { annotations }),
      ])
        expect(findings).toMatchObject([{ class: 'fix-not-deployed', confidence: 'likely' }])
    })
    it('is not found where the labels are those of the fix or newer', () => {
      expect(byLabels({ image: exact, version: '1.4.1' })).toMatchObject({ findings: [], unjudged: [] })
    })
    it.each([
      ['an image that was built later: it may be of an older branch', { builtAt: fix.fixedAt ?? 0 }],
      ['a commit that no list knows', { revision: '0eabd38e' }],
    ])('is unjudged for %s', (_, labels) => {
      const { findings, unjudged } = byLabels({ image: exact, ...labels })
      expect(findings).toEqual([])
      expect(unjudged[0]?.needs).toContain(`skopeo inspect docker://${exact}`)
    })
    it('is unjudged where only another digest has labels', () => {
      const other = `${image}@sha256:${'b'.repeat(64)}`
      expect(byLabels({ image: other, version: '1.3.9' })).toMatchObject({
        findings: [],
        unjudged: [{ class: 'fix-not-deployed' }],
      })
    })
  })
})

interface Given {
  readonly events?: readonly EventFact[]
  readonly machines?: readonly MachineFact[]
}

function fleet({ events = [], machines = [] }: Given, cluster: Partial<ClusterFacts> = {}) {
  return snapshotOf({ cluster: { events: listed(events), machines: listed(machines), ...cluster } })
}

function failed(host: string, message: string, count: number): EventFact {
  return {
    namespace: 'capi-system',
    type: 'Warning',
    reason: 'BootstrapFailed',
    message,
    subject: { kind: 'AppleSiliconMachine', name: host, uid: null },
    count,
    firstAt: readAt - 120 * minuteMs,
    lastAt: readAt - minuteMs,
  }
}

function condition(type: string, status: string, reason: string | null, message: string | null) {
  return { type, status, reason, message, at: readAt - 30 * minuteMs }
}

function machine(name: string, ...conditions: readonly ReturnType<typeof condition>[]): MachineFact {
  return { ...objectFact(name, 'capi-system'), phase: 'Provisioning', node: null, version: null, conditions }
}

function operator(tag: string): DeploymentFact {
  return {
    ...objectFact('host-operator', 'capi-system'),
    labels: {},
    replicas: 1,
    available: 1,
    images: { manager: `ghcr.io/acme/host-operator:${tag}` },
    args: [],
  }
}
