import fc from 'fast-check'

/** A question of a runner, mostly of this one. */
export function question(runner: string): fc.Arbitrary<Buffer> {
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constant<unknown>(runner) },
    {
      weight: 1,
      arbitrary: fc.oneof<fc.Arbitrary<unknown>[]>(fc.string(), fc.integer(), fc.constant('\u0000')),
    },
  )
  const attempt = fc.oneof(
    fc.uuid(),
    fc.string(),
    fc.constantFrom('\u0000', null, '\ud800', 'x'.repeat(3_000)),
  )
  return fc
    .record({ runner: name, attempt }, { requiredKeys: ['runner'] })
    .map((value) => Buffer.from(JSON.stringify(value)))
}

/** A message about a job. */
export function jobMessage(): fc.Arbitrary<Buffer> {
  const repository = fc.constantFrom(
    'acme/web',
    'acme/web',
    'x',
    '/',
    'a/b/c',
    '\u0000/b',
    `a/${'b'.repeat(5_000)}`,
  )
  return fc
    .record(
      {
        action: fc.constantFrom('queued', 'in_progress', 'completed', 'waiting', 'x'),
        workflow_job: fc.record(jobFields()),
        repository: fc.record({ id: fc.constantFrom(1, -1, null), full_name: repository }),
        installation: fc.record({ id: fc.oneof(fc.integer(), fc.constant(null)) }),
      },
      { requiredKeys: ['action', 'workflow_job', 'repository'] },
    )
    .map((value) => Buffer.from(JSON.stringify(value)))
}

/** Bodies of any kind. */
export function anyContent(): fc.Arbitrary<Buffer> {
  return fc.oneof(
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    fc.constantFrom(...oddContents).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(Buffer.alloc(64 * 1024, '{')),
  )
}

const oddContents = [
  '',
  '[',
  '['.repeat(20_000),
  '{"__proto__":{"admin":true}}',
  '"\\ud800"',
  'null',
  '\uFEFF{}',
  '1e999',
]

/** Fields of a job in a message: often valid but for one. */
function jobFields() {
  const mostly = <T, Odd>(right: T, ...odd: Odd[]) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(right) as fc.Arbitrary<T | Odd> },
      { weight: 1, arbitrary: fc.constantFrom<T | Odd>(...odd) },
    )
  const time = mostly<string, string | number | null>('2026-01-02T03:04:05Z', ...oddTimes)
  return {
    id: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1 }) },
      fc.constantFrom(0, -1, 1e300, 2 ** 53 - 1),
    ),
    run_id: mostly(1, 0, 1e300, null),
    run_attempt: mostly(1, -1, 2 ** 31, 1.5),
    name: mostly('test', '', '\u0000', '\ud800', 'x'.repeat(10_000)),
    labels: mostly(['self-hosted'], [], ['\u0000'], ['x'.repeat(5_000)], Array(2_000).fill('a'), null),
    status: mostly('queued', 'in_progress', 'completed', 'waiting', 'gone'),
    conclusion: mostly(null, 'success', '', '\u0000', 'x'.repeat(5_000)),
    runner_name: mostly(null, '', '\u0000', 'x'.repeat(5_000)),
    created_at: time,
    started_at: time,
    completed_at: time,
  }
}

const oddTimes = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-13-45T99:99:99Z',
  '-1',
  'now',
  null,
  -1,
]
