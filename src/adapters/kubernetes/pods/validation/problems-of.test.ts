import { describe, expect, it } from 'vitest'
import { problemsOf } from '../index.ts'
import { aPlan } from '../testing/plans.ts'
import { harmless, hostile, metadata } from '../testing/templates.ts'

const of = (template: object, plan = {}) => problemsOf(aPlan({ ...plan, template: { ...template } }))

describe('problemsOf', () => {
  it.each(hostile)('refuses %j', (spec) => {
    expect(of({ spec }).length).toBeGreaterThan(0)
  })

  it.each(harmless)('does not refuse %j', (spec) => {
    expect(of({ spec })).toEqual([])
  })

  it.each(metadata.slice(2))('refuses the metadata %j', (given) => {
    expect(of({ metadata: given }).length).toBeGreaterThan(0)
  })

  it('does not refuse labels and annotations of others', () => {
    expect(of({ metadata: metadata[1] })).toEqual([])
    expect(of({ metadata: null, spec: null })).toEqual([])
    expect(of({})).toEqual([])
  })

  it('gives path, value, expected value and remedy of each problem', () => {
    expect(of({ spec: { restartPolicy: 'Always' } })).toEqual([
      'template.spec.restartPolicy: expected "Never", got "Always". ' +
        'Remove it: a runner that is started again would use its configuration twice and hide its end.',
    ])
    expect(of({ spec: { containers: [{ name: 'runner', $patch: 'delete' }] } })).toEqual([
      expect.stringContaining('template.spec.containers: expected only the container "runner", got []'),
    ])
    expect(of({ spec: { containers: [{ name: 'sidecar' }] } })[0]).toContain('restartPolicy: Always')
    expect(of({ spec: { containers: [{ name: 7 }] } })).toEqual([
      'template.spec.containers[0].name: expected string, got 7. Write it as in a PodTemplateSpec.',
    ])
  })

  it('refuses a template that is too large, and names its largest part', () => {
    const annotations = { note: 'x'.repeat(1_048_576) }
    expect(of({ metadata: { annotations } })).toEqual([
      expect.stringMatching(
        /at most 65536 bytes of JSON, got 10\d{5}\. The largest part is "metadata.annotations"/,
      ),
    ])
  })

  it('refuses a template that is too deep without going to its end', () => {
    let deep: object = {}
    for (let depth = 0; depth < 100_000; depth++) deep = { deep }
    expect(of({ spec: deep })).toEqual([expect.stringContaining('expected at most 32 levels')])
  })

  it('refuses more containers than a runner has helpers', () => {
    const initContainers = Array.from({ length: 20 }, (_, index) => ({ name: `c${index}`, image: 'x' }))
    expect(of({ spec: { initContainers } })).toEqual([expect.stringContaining('at most 16 containers')])
  })

  it('refuses a runtime class that contradicts the plan, and takes one where the plan has none', () => {
    const spec = { runtimeClassName: 'kata' }
    expect(of({ spec }, { runtimeClass: 'gvisor' })).toHaveLength(1)
    expect(of({ spec }, { runtimeClass: 'kata' })).toEqual([])
    expect(of({ spec })).toEqual([])
  })

  it('refuses another system than Linux', () => {
    expect(of({ spec: { os: { name: 'windows' } } })).toHaveLength(1)
    expect(of({ spec: { os: { name: 'linux' } } })).toEqual([])
  })

  it('judges a pod of the shape single by its own rules', () => {
    const single = { shape: 'single' }
    expect(of({ spec: { securityContext: { runAsUser: null } } }, single)).toEqual([])
    expect(of({ spec: { initContainers: [{ name: 'poller', image: 'x' }] } }, single)).toEqual([
      expect.stringContaining('Give the container another name.'),
    ])
  })

  it('knows the audience of its site', () => {
    const sources = [{ serviceAccountToken: { audience: 'ours', path: 't' } }]
    const plan = aPlan({ template: { spec: { volumes: [{ name: 'x', projected: { sources } }] } } })
    expect(problemsOf(plan, { audience: 'ours' })).toHaveLength(1)
    expect(problemsOf(plan)).toEqual([])
  })

  const mounting = (path: string) =>
    problemsOf(aPlan({ template: { spec: { volumes: [{ name: 'v', hostPath: { path } }] } } }), {
      allow: ['hostPath'],
    })

  it.each(['/var/lib', '/var/lib/kubelet/', '/var//run/docker.sock', '/x/../proc/1', '/etc/kubernetes/pki'])(
    'refuses %s of the node, whatever is allowed',
    (path) => expect(mounting(path)).toHaveLength(1),
  )

  it.each(['/var/lib/cache', '/dev/kvm', '/data', '/process', '/run/user'])(
    'does not refuse %s where folders of the node are allowed',
    (path) => expect(mounting(path)).toEqual([]),
  )
})
