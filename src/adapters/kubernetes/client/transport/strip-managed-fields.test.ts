import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripManagedFields } from './strip-managed-fields.ts'

const managers = [
  { manager: 'holdfast', fieldsV1: { 'f:spec': { 'k:{"name":"a]}\\"}': { '.': {}, 'v:"x"': {} } } } },
  { manager: 'kwok "the" ]', fieldsV1: { 'f:status': {} } },
]

describe('JSON without managers', () => {
  it('is the same object in all else, also where there are many of them', () => {
    const object = (name: string) => ({
      metadata: { name, annotations: { a: ',"managedFields":[' }, managedFields: managers },
      spec: { x: [1, 'managedFields'] },
    })
    const list = { items: [object('a'), object('b\\'), object('"')] }
    const read = JSON.parse(stripManagedFields(JSON.stringify(list)))
    const bare = list.items.map(({ metadata: { managedFields: _, ...metadata }, spec }) => ({
      metadata,
      spec,
    }))
    expect(read).toEqual({ items: bare })
  })

  it('is as it was where there are none, where they stand elsewhere, or where it is cut off', () => {
    for (const text of [
      '{"metadata":{"name":"a"}}',
      '{"managedFields":[],"a":1}',
      '{"a":1,"managedFields":[{"b"',
    ])
      expect(stripManagedFields(text)).toBe(text)
  })

  it('never changes anything but them, whatever they hold', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.array(fc.jsonValue()),
        fc.jsonValue(),
        (before, managedFields, after) => {
          const read = JSON.parse(stripManagedFields(JSON.stringify({ before, managedFields, after })))
          expect(JSON.stringify(read)).toBe(JSON.stringify({ before, after }))
        },
      ),
    )
  })
})
