import { describe, expect, it } from 'vitest'
import { allowanceNames, allowanceProblem } from '../../../../domain/pool/index.ts'
import { problemsOf } from '../index.ts'
import { type Beyond, beyondBaseline } from '../testing/beyond-baseline.ts'
import { aPlan } from '../testing/plans.ts'
import { baselineRules } from './baseline-rules.ts'

const of = (spec: object, allow: readonly string[] = [], annotations: object = {}) =>
  problemsOf(aPlan({ template: { metadata: { annotations }, spec } }), { serviceAccount: 'default', allow })
const name = ({ allow }: Beyond) => allow.split(':')[0]

describe('a template beyond the baseline', () => {
  it.each(beyondBaseline)('is refused, with the setting that allows it: $refused $annotations', (row) => {
    const problems = of(row.refused, [], row.annotations)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(
      /^template\.(spec|metadata)\..+: expected .+, got .+\. Remove it, or have it allowed/,
    )
    expect(problems[0]).toContain(`fleet.allow names "${name(row)}" there`)
  })

  it.each(beyondBaseline)('is taken where $allow is allowed: $refused', (row) => {
    expect(of(row.refused, [row.allow], row.annotations)).toEqual([])
  })

  it.each(beyondBaseline)('is refused where all is allowed but $allow: $refused', (row) => {
    const others = allowanceNames.filter((each) => each !== name(row))
    expect(of(row.refused, others, row.annotations)).toHaveLength(1)
    if (row.allow.includes(':')) expect(of(row.refused, [`${name(row)}:another`])).toHaveLength(1)
  })

  it.each(beyondBaseline.filter(({ nearMiss }) => nearMiss !== null))(
    'is not what is near it: $nearMiss',
    ({ nearMiss }) => expect(of(nearMiss as object)).toEqual([]),
  )

  it('has a row for each rule, and a rule for each name that can be allowed', () => {
    const rules = new Set<string>(baselineRules.map((rule) => rule.name))
    expect(new Set(beyondBaseline.map(name))).toEqual(rules)
    expect(new Set(allowanceNames)).toEqual(rules)
  })

  it('has a Docker daemon in it, because it is privileged', () => {
    const plan = aPlan({ dind: { image: 'docker:dind' } })
    expect(problemsOf(plan)).toEqual([
      expect.stringMatching(/no privileged container, got true\. Remove the pool's dind, or have it allowed/),
    ])
    expect(problemsOf(plan, { allow: ['privileged'] })).toEqual([])
  })
})

describe('access that no setting allows', () => {
  const all = [...allowanceNames]

  it.each(['/', '/var/lib/holdfast/agent', '/var/lib', '/proc', '/run/containerd/containerd.sock'])(
    'is %s of the node',
    (path) => expect(of({ volumes: [{ name: 'v', hostPath: { path } }] }, all)).toHaveLength(1),
  )

  it('is the processes of the node', () => {
    expect(of({ hostPID: true }, all)).toHaveLength(1)
    expect(of({ hostPID: false }, all)).toEqual([])
  })

  it("is an agent's service account, as which the poller's token would prove more than a pod", () => {
    const plan = aPlan({ template: { spec: { serviceAccountName: 'holdfast-agent' } } })
    const reservedAccounts = ['holdfast-agent']
    expect(problemsOf(plan, { allow: all, reservedAccounts })).toEqual([
      expect.stringContaining("expected an account that is not Holdfast's"),
    ])
    expect(problemsOf(plan, { allow: all })).toEqual([])
  })
})

describe('an entry of fleet.allow', () => {
  it.each(['hostNetwork', 'hostPath', 'hostPath:/dev/kvm', 'secrets:npm'])('may be %s', (entry) => {
    expect(allowanceProblem(entry)).toBeNull()
  })

  it.each(['hostnetwork', '', 'hostPID', 'hostNetwork:yes', 'hostPath:', 'toString'])(
    'may not be %j',
    (entry) => expect(allowanceProblem(entry)).not.toBeNull(),
  )

  it('for a path covers all that is below it, and nothing else', () => {
    const mount = (path: string) => of({ volumes: [{ name: 'v', hostPath: { path } }] }, ['hostPath:/data'])
    expect(mount('/data/cache')).toEqual([])
    for (const path of ['/database', '/data/../etc', '/']) expect(mount(path).length).toBeGreaterThan(0)
  })
})
