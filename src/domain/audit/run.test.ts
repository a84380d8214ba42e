import { describe, expect, it } from 'vitest'
import {
  listed,
  listenerFact,
  nodeFact,
  podFact,
  readAt,
  runnerFact,
  scaleSetFact,
  snapshotOf,
} from '../snapshot/testing/facts.ts'
import type { Audit, AuditScope } from './audit.ts'
import type { Finding, FindingSubject, Judgement } from './finding.ts'
import { outcomeOf, runAudits } from './run.ts'
import { wholeScope } from './scope.ts'

const nothing: Judgement = { findings: [], unjudged: [], tables: [] }

function auditOf(name: string, judged: Partial<Judgement> | Error): Audit {
  const classes = [{ name: `${name}-class`, entry: 'E9', title: name, mustNotConclude: [], page: 'x.md' }]
  const judge = (): Judgement => {
    if (judged instanceof Error) throw judged
    return { ...nothing, ...judged }
  }
  return { name, title: name, classes, judge }
}

function subjectOf(kind: string, name: string, namespace: string | null = 'arc-runners'): FindingSubject {
  return { kind, name, namespace }
}

function findingOf(given: Partial<Finding> = {}): Finding {
  return {
    class: 'broken',
    severity: 'warning',
    subject: subjectOf('scale-set', 'linux'),
    confidence: 'proven',
    summary: 'It is broken.',
    evidence: [{ source: 'cluster', at: readAt, text: 'one' }],
    mustNotConclude: [],
    nextAllowedAction: { kind: 'read', text: 'Look.', command: null },
    ...given,
  }
}

const snapshot = snapshotOf({
  cluster: {
    scaleSets: listed([scaleSetFact('linux'), scaleSetFact('gpu')]),
    listeners: listed([listenerFact('linux'), listenerFact('gpu')]),
    runners: listed([
      runnerFact('linux-1'),
      runnerFact('gpu-1', { scaleSet: { namespace: 'arc-runners', name: 'gpu' } }),
    ]),
    pods: listed([podFact('linux-1', { node: 'node-1' }), podFact('gpu-1', { node: 'node-2' })]),
    nodes: listed([nodeFact('node-1'), nodeFact('node-2')]),
  },
})

function run(audits: readonly Audit[], narrowed: AuditScope = wholeScope) {
  return runAudits({ audits, snapshot, earlier: null, contract: null, narrowed })
}

describe('a run of audits', () => {
  it('goes on after an audit that breaks, and says that its classes were not judged', () => {
    const { findings, unjudged, failures } = run([
      auditOf('first', new Error('no such key')),
      auditOf('second', { findings: [findingOf()] }),
    ])
    expect(findings).toHaveLength(1)
    expect(failures).toEqual([{ audit: 'first', why: 'no such key' }])
    expect(unjudged).toMatchObject([{ class: 'first-class', why: 'the audit failed: no such key' }])
  })

  it('has the worst first: by severity, then confidence, then name', () => {
    const inOrder = [
      findingOf({ class: 'z', severity: 'critical' }),
      findingOf({ class: 'a', severity: 'critical', confidence: 'likely' }),
      findingOf({ class: 'b', severity: 'warning', subject: subjectOf('runner', 'a') }),
      findingOf({ class: 'b', severity: 'warning', subject: subjectOf('runner', 'b') }),
      findingOf({ class: 'aa', severity: 'notice' }),
    ]
    const { findings } = run([
      auditOf('first', { findings: inOrder.slice(2).toReversed() }),
      auditOf('second', { findings: inOrder.slice(0, 2).toReversed() }),
    ])
    expect(findings).toEqual(inOrder)
  })

  it('says one thing once: the worst of it, with the evidence of all', () => {
    const other = { source: 'forge', at: readAt, text: 'two' } as const
    const [one] = findingOf().evidence
    const { findings } = run([
      auditOf('first', {
        findings: [findingOf({ confidence: 'likely', evidence: [other, ...findingOf().evidence] })],
      }),
      auditOf('second', { findings: [findingOf()] }),
    ])
    expect(findings).toEqual([findingOf({ evidence: one === undefined ? [] : [one, other] })])
  })

  it('keeps the same class of two subjects apart', () => {
    const both = [findingOf(), findingOf({ subject: subjectOf('scale-set', 'gpu') })]
    expect(run([auditOf('first', { findings: both })]).findings).toHaveLength(2)
  })
})

describe('the outcome', () => {
  const unjudged = [{ class: 'dark', why: 'forbidden', needs: null }]

  it('is clean only where all was judged', () => {
    expect(outcomeOf({ findings: [], unjudged: [] })).toBe('clean')
    expect(outcomeOf({ findings: [], unjudged })).toBe('unjudged')
  })

  it('is findings where there is one, whatever else could not be judged', () => {
    expect(outcomeOf({ findings: [findingOf({ severity: 'notice' })], unjudged })).toBe('findings')
  })

  it('can be that of one class alone', () => {
    const both = { findings: [findingOf()], unjudged }
    expect(outcomeOf(both, 'broken')).toBe('findings')
    expect(outcomeOf(both, 'dark')).toBe('unjudged')
    expect(outcomeOf(both, 'other')).toBe('clean')
  })
})

describe('a narrowed run', () => {
  const subjects = [
    subjectOf('scale-set', 'linux'),
    subjectOf('scale-set', 'gpu'),
    subjectOf('listener', 'linux-listener', 'arc-systems'),
    subjectOf('listener', 'gpu-listener', 'arc-systems'),
    subjectOf('runner', 'linux-1'),
    subjectOf('pod', 'gpu-1'),
    subjectOf('pod', 'other', 'elsewhere'),
    subjectOf('label', 'linux', null),
    subjectOf('label', 'gpu', null),
    subjectOf('node', 'node-1', null),
    subjectOf('node', 'node-2', null),
    subjectOf('credential', 'github-app'),
  ]
  const audit = auditOf('first', { findings: subjects.map((subject) => findingOf({ subject })) })
  const leftOut = (narrowed: Partial<AuditScope>): string[] => {
    const { findings } = run([audit], { ...wholeScope, ...narrowed })
    const shown = new Set(findings.map(({ subject }) => subject.name + subject.kind))
    return subjects.filter(({ kind, name }) => !shown.has(name + kind)).map(({ name }) => name)
  }

  it.each([
    [{ namespaces: ['arc-runners'] }, ['other']],
    [{ nodes: ['node-1'] }, ['gpu-1', 'node-2']],
    [{ runner: 'linux-1' }, ['gpu-1', 'other']],
    [{ labels: ['linux'] }, ['gpu', 'gpu-listener', 'gpu-1', 'gpu']],
  ] as const)('leaves out what lies elsewhere, and nothing more: %j', (narrowed, expected) => {
    expect(leftOut(narrowed)).toEqual(expected)
  })

  it('leaves nothing out where it is not narrowed', () => {
    expect(leftOut({})).toEqual([])
  })
})

describe('a next action that raises capacity', () => {
  const raising = findingOf({
    class: 'hpa-at-max',
    nextAllowedAction: { kind: 'person', text: 'Raise the maximum.', command: null, raises: 'maximum' },
  })
  const judge = (...others: Finding[]) =>
    runAudits({
      audits: [auditOf('a', { findings: [raising, ...others] })],
      ...{ snapshot, earlier: null, contract: null, narrowed: wholeScope },
    }).findings.find((each) => each.class === 'hpa-at-max')?.nextAllowedAction

  it('is withheld while another finding of the report stands against it, which it names', () => {
    const pull = findingOf({ class: 'image-pull-blocked' })
    expect(judge(pull)).toEqual({
      kind: 'person',
      text: 'Nothing is raised while other findings are open: image-pull-blocked (scale-set linux). Close these first, and judge again.',
      command: null,
    })
  })

  it('is let through where the other findings have nothing to do with it', () => {
    const plain = { kind: 'person', text: 'Raise the maximum.', command: null }
    expect(judge(findingOf())).toEqual(plain)
    expect(judge()).toEqual(plain)
  })
})
