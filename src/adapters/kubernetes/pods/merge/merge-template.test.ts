import { describe, expect, it } from 'vitest'
import { mergeTemplate } from './merge-template.ts'

const pod = {
  metadata: { labels: { a: '1' } },
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'runner', image: 'x', env: [{ name: 'A', value: '1' }], args: ['a', 'b'] }],
    volumes: [{ name: 'work', emptyDir: { sizeLimit: '1Gi' } }],
    tolerations: [{ key: 'ours' }],
  },
}
const merged = (spec: object) => mergeTemplate(pod, { spec })
const specOf = (spec: object) => {
  const { value, problems } = merged(spec)
  expect(problems).toEqual([])
  return value.spec
}
const runner = pod.spec.containers[0]

describe('mergeTemplate', () => {
  it.each<[string, object, object]>([
    ['adds fields', { dnsPolicy: 'None' }, { dnsPolicy: 'None' }],
    ['replaces values', { restartPolicy: 'Always' }, { restartPolicy: 'Always' }],
    ['replaces lists without a key', { tolerations: [{ key: 'x' }] }, { tolerations: [{ key: 'x' }] }],
    [
      'merges containers by name',
      { containers: [{ name: 'runner', tty: true }] },
      { containers: [{ ...runner, tty: true }] },
    ],
    [
      'appends containers',
      { containers: [{ name: 'b' }, { name: 'a' }] },
      { containers: [runner, { name: 'b' }, { name: 'a' }] },
    ],
    [
      'replaces arguments',
      { containers: [{ name: 'runner', args: ['c'] }] },
      { containers: [{ ...runner, args: ['c'] }] },
    ],
    [
      'gives a variable its new source alone',
      { containers: [{ name: 'runner', env: [{ name: 'A', valueFrom: { x: 1 } }] }] },
      { containers: [{ ...runner, env: [{ name: 'A', valueFrom: { x: 1 } }] }] },
    ],
    [
      'merges into the source of a volume',
      { volumes: [{ name: 'work', emptyDir: { medium: 'Memory' } }] },
      { volumes: [{ name: 'work', emptyDir: { sizeLimit: '1Gi', medium: 'Memory' } }] },
    ],
    [
      'gives a volume its new source alone',
      { volumes: [{ name: 'work', hostPath: { path: '/w' } }] },
      { volumes: [{ name: 'work', hostPath: { path: '/w' } }] },
    ],
    [
      'keeps two ports of one number apart',
      { containers: [{ name: 'n', ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }] }] },
      {
        containers: [
          runner,
          { name: 'n', ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }] },
        ],
      },
    ],
    ['deletes elements', { volumes: [{ name: 'work', $patch: 'delete' }] }, { volumes: [] }],
    ['deletes what is not there', { volumes: [{ name: 'x', $patch: 'delete' }] }, {}],
    [
      'replaces elements',
      { containers: [{ name: 'runner', $patch: 'replace' }] },
      { containers: [{ name: 'runner' }] },
    ],
    ['replaces lists', { volumes: [{ $patch: 'replace' }, { name: 'v' }] }, { volumes: [{ name: 'v' }] }],
  ])('%s', (_, template, expected) => {
    expect(specOf(template)).toEqual({ ...pod.spec, ...expected })
  })

  it('removes null values, also from fields that the template adds', () => {
    expect(specOf({ tolerations: null, dnsConfig: { options: [], searches: null } })).toEqual({
      restartPolicy: 'Never',
      containers: pod.spec.containers,
      volumes: pod.spec.volumes,
      dnsConfig: { options: [] },
    })
    expect(specOf({ $patch: 'replace', a: 1 })).toEqual({ a: 1 })
  })

  it.each<[string, object]>([
    ['template.spec.$patch: expected delete, replace or merge, got "x"', { $patch: 'x' }],
    ['template.spec.$setElementOrder/volumes: expected no $', { '$setElementOrder/volumes': [] }],
    ['template.spec.containers: expected a list, got {"name":"runner"}', { containers: { name: 'runner' } }],
    ['template.spec.volumes[0]: expected a map with the field name', { volumes: [{ emptyDir: {} }] }],
    ['template.spec.volumes[1]: expected a map with the field name', { volumes: [{ name: 'a' }, 1] }],
    ['template.spec.tolerations[0]: expected no $patch', { tolerations: [{ $patch: 'delete' }] }],
    ['template.spec.restartPolicy: expected a string, got 1', { restartPolicy: 1 }],
  ])('says %s', (words, template) => {
    expect(merged(template).problems).toEqual([expect.stringContaining(words)])
  })

  it('is not led astray by names of the language', () => {
    const { value } = mergeTemplate(pod, JSON.parse('{"metadata":{"__proto__":{"polluted":true}}}'))
    expect(Object.hasOwn(value.metadata as object, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('does not change its arguments', () => {
    const before = JSON.stringify(pod)
    merged({ containers: [{ name: 'runner', env: [{ name: 'B' }] }], volumes: [{ name: 'x' }] })
    expect(JSON.stringify(pod)).toBe(before)
  })
})
