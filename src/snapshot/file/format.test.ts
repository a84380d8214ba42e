import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import { listed, podFact, secretFact, snapshotOf, unread } from '../../domain/snapshot/testing/facts.ts'
import { decodeSnapshot, encodeSnapshot, fileBytesMax } from './format.ts'

const snapshot = snapshotOf({
  cluster: {
    pods: listed([podFact('a', { labels: { app: 'ü' } }), podFact('b', { node: null })]),
    secrets: unread('secrets', [secretFact('github-app', { key: 'f00' })]),
  },
})
const saved = encodeSnapshot(snapshot, 'a.snapshot')
const json = gunzipSync(saved).toString()

function failure(bytes: Uint8Array): HoldfastError {
  try {
    decodeSnapshot(bytes, 'a.snapshot')
  } catch (error) {
    if (error instanceof HoldfastError) return error
    throw error
  }
  throw new Error('it was read')
}
const zipped = (text: string) => gzipSync(Buffer.from(text))
/** The snapshot with another value at a path. */
function changed(change: (value: ReturnType<typeof JSON.parse>) => void): Uint8Array {
  const value = JSON.parse(json)
  change(value)
  return zipped(JSON.stringify(value))
}

describe('a snapshot in a file', () => {
  it('is read as it was written', () => {
    expect(decodeSnapshot(saved, 'a.snapshot')).toEqual(snapshot)
  })

  it('that a later program of the same format wrote is read without what is not known here', () => {
    const bytes = changed((value) => {
      value.cluster.pods.items[0].later = { deep: [1] }
    })
    expect(decodeSnapshot(bytes, 'a.snapshot')).toEqual(snapshot)
  })

  it('of a program that read no logs of runners is read, and they are unread', () => {
    const bytes = changed((value) => {
      value.cluster.runnerLogs = undefined
    })
    const { runnerLogs, ...others } = decodeSnapshot(bytes, 'a.snapshot').cluster
    expect({ ...others, runnerLogs: snapshot.cluster.runnerLogs }).toEqual(snapshot.cluster)
    expect(runnerLogs.unread).toMatchObject([{ why: expect.stringContaining('before they were read') }])
  })

  it.each([
    ['that was cut', saved.slice(0, saved.length - 20), 'E_SNAPSHOT_DAMAGED', /ends in the middle/],
    ['of which one byte arrived', saved.slice(0, 1), 'E_SNAPSHOT_DAMAGED', /ends in the middle/],
    ['that is empty', new Uint8Array(), 'E_SNAPSHOT_DAMAGED', /it is empty/],
    ['that is plain JSON', Buffer.from(json), 'E_SNAPSHOT_DAMAGED', /expected a gzip file/],
    ['whose bytes changed', flipped(saved, saved.length - 6), 'E_SNAPSHOT_DAMAGED', /cannot be decompressed/],
    ['without JSON inside', zipped('{"version":1,'), 'E_SNAPSHOT_DAMAGED', /expected JSON inside/],
    ['with bytes that are no text', gzipSync(Buffer.from([0x22, 0xff, 0x22])), 'E_SNAPSHOT_DAMAGED', /JSON/],
  ])('%s is named as damaged', (_, bytes, code, text) => {
    expect(failure(bytes)).toMatchObject({ code, message: expect.stringMatching(text) })
  })

  it('of a newer format names the program that wrote it', () => {
    const error = failure(changed((value) => Object.assign(value, { version: 3, program: '9.1.0' })))
    expect(error.code).toBe('E_SNAPSHOT_NEWER')
    expect(error.message).toContain('has format 3, written by "9.1.0"; this program reads formats up to 1')
  })

  it('with a wrong type names the path, the expected type and the value', () => {
    const error = failure(
      changed((value) => {
        value.cluster.pods.items[1].conditions = [{ ...condition, at: 'noon' }]
      }),
    )
    expect(error.params).toEqual({
      file: 'a.snapshot',
      path: 'cluster.pods.items.1.conditions.0.at',
      expected: 'number',
      got: '"noon"',
    })
  })

  it('that is some other JSON is refused with what is missing', () => {
    expect(failure(zipped('[]')).message).toContain('at its top: expected object, got a list of 0')
    expect(failure(zipped('{}')).params).toMatchObject({ path: 'version', got: 'nothing' })
  })

  it('whose names are those of prototypes stays plain data', () => {
    const bytes = zipped(json.replace('"app":"ü"', '"__proto__":"x","constructor":"y"'))
    const [pod] = decodeSnapshot(bytes, 'a.snapshot').cluster.pods.items
    expect(Object.entries(pod?.labels ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(Object.getPrototypeOf(pod?.labels)).toBe(Object.prototype)
  })
})

/** Names that no other object has cost the parser most. */
const namesFrom = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `"k${from + at}" : 1`).join(',')
const objectsOfNames = (count: number) =>
  Array.from({ length: count }, (_, at) => `{${namesFrom(at * 100, 100)}}`).join(',')
const lists = `[${'[],'.repeat(99_000)}1],`

describe('a hostile file', () => {
  const items = '"items":['
  it.each([
    ['a bomb', gzipSync(Buffer.alloc(300 * 2 ** 20, 0x20)), /decompressed it is larger, at most 256 MiB/],
    ['deep lists', zipped('['.repeat(5_000_000)), /nested deeper, at most 32 levels/],
    ['deep objects', zipped('{"a":'.repeat(100_000)), /nested deeper/],
    ['millions of values', zipped(`[${lists.repeat(130)}1]`), /more values, at most 12,000,000/],
    [
      'a list of millions',
      zipped(`[${'[],'.repeat(5_000_000)}1]`),
      /more parts, at most 100,000 items or 10,000 fields/,
    ],
    ['millions of names', zipped(`[${objectsOfNames(1_500)}]`), /more different names, at most 100,000/],
    [
      'an object of millions',
      zipped(`{${namesFrom(0, 200_000)}}`),
      /more parts, at most 100,000 items or 10,000 fields/,
    ],
    ['a file of any size', new Uint8Array(fileBytesMax + 1), /its file is larger, at most 64 MiB/],
  ])('with %s is too large, and costs no memory', (_, bytes, text) => {
    expect(failure(bytes)).toMatchObject({
      code: 'E_SNAPSHOT_TOO_LARGE',
      message: expect.stringMatching(text),
    })
  })

  it.each([
    ['wrong items', `${items}${'1,'.repeat(90_000)}`, /items\.0: expected object, got 1/],
    ['a text of megabytes', `${items}{"namespace":"${'x'.repeat(5e6)}"},`, /items\.0\.namespace/],
  ])('with %s is refused at the first of them', (_, instead, text) => {
    const error = failure(zipped(json.replace(items, instead).replace(',]', ']')))
    expect(error.code).toBe('E_SNAPSHOT_INVALID')
    expect(error.message).toMatch(text)
    expect(error.message.length).toBeLessThan(500)
  })

  it('of any bytes, cuts and changes is read or refused in words', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(saved.length).map((end) => saved.slice(0, end)),
      fc.tuple(fc.nat(saved.length - 1), fc.nat(255)).map(([at, byte]) => flipped(saved, at, byte)),
      fc.json({ maxDepth: 8 }).map(zipped),
      fc
        .tuple(fc.nat(json.length - 1), fc.string({ maxLength: 4 }))
        .map(([at, text]) => zipped(json.slice(0, at) + text + json.slice(at + 1))),
    )
    fc.assert(
      fc.property(bytes, (given) => {
        try {
          decodeSnapshot(given, 'a.snapshot')
        } catch (error) {
          expect(error).toBeInstanceOf(HoldfastError)
          expect((error as HoldfastError).code).toMatch(/^E_SNAPSHOT_/)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

const condition = { type: 'Ready', status: 'True', reason: null, message: null }

function flipped(bytes: Uint8Array, at: number, by = 0xff): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ by
  return copy
}
