import fc from 'fast-check'
import type { Header } from './frame.ts'

export interface Known {
  readonly webhookSecret: string
  readonly runner: string
  readonly runnerSecret: string
  readonly operatorToken: string
}

/** Where a request may go: what is served, what is below it, and what is nowhere. */
export function target(): fc.Arbitrary<string> {
  const segment = fc.oneof(
    fc.constantFrom(...oddSegments),
    fc.string({ maxLength: 20 }).map(encodeURIComponent),
  )
  const query = fc.oneof(
    fc.constant(''),
    fc.webQueryParameters().map((text) => `?${encodeURI(text)}`),
    fc.constantFrom('?limit=-1', '?limit=1e9', '?ended=x', '?limit=1&limit=2', '?%', '?state=%00'),
  )
  const known = fc.tuple(fc.constantFrom(...served), query).map((parts) => parts.join(''))
  const below = fc
    .tuple(fc.constantFrom('/v1/jobs/', '/jobs/', '/v1/', '/webhooks/', '/assets/', '/'), segment, query)
    .map((parts) => parts.join(''))
  const odd = fc.constantFrom(
    '*',
    '//',
    'http://elsewhere/v1/dispatch',
    `/${'a'.repeat(9_000)}`,
    '/v1/dispatch/../jobs',
  )
  return fc.oneof(
    { weight: 6, arbitrary: known },
    { weight: 3, arbitrary: below },
    { weight: 1, arbitrary: odd },
  )
}

/** A header, right or not. */
export function header(known: Known): fc.Arbitrary<Header> {
  const authorization = fc.constantFrom(
    `Bearer ${known.runnerSecret}`,
    `Bearer ${known.runnerSecret}`,
    `Bearer ${known.operatorToken}`,
    'Bearer',
    'Bearer x y',
    'Basic %%%',
    `Basic ${Buffer.from(`a:${known.operatorToken}`).toString('base64')}`,
    `Bearer ${'x'.repeat(5_000)}`,
    'Digest a="b"',
  )
  const named = (name: string, values: fc.Arbitrary<string>) => values.map((value): Header => [name, value])
  return fc.oneof(
    named('authorization', authorization),
    named(
      'content-type',
      fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', ';', ''),
    ),
    named('content-encoding', fc.constantFrom('gzip', 'br', 'identity', 'x')),
    named('x-github-event', fc.constantFrom('workflow_job', 'ping', 'push', '', 'a b', 'x'.repeat(300))),
    named('x-github-delivery', fc.constantFrom('', 'same', '\u00ff', 'x'.repeat(300))),
    named('x-hub-signature-256', fc.constantFrom('', 'sha256=', `sha256=${'0'.repeat(64)}`, 'sha1=00')),
    named('host', fc.constantFrom('elsewhere.example', 'localhost:1', '', '[::1]', 'a b')),
    named('expect', fc.constantFrom('100-continue', 'the impossible')),
    named('connection', fc.constantFrom('close', 'keep-alive', 'upgrade')),
    named('upgrade', fc.constantFrom('websocket', 'h2c')),
    named('accept', fc.constantFrom('text/html', 'application/json', '*/*', 'x')),
    named('range', fc.constantFrom('bytes=0-', 'bytes=-1')),
    fc
      .tuple(fc.stringMatching(/^[a-z-]{1,12}$/), fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,40}$/))
      .filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding'),
  )
}

const served = [
  '/v1/dispatch',
  '/v1/dispatch',
  '/v1/dispatch/ack',
  '/v1/dispatch/ack',
  '/webhooks/forge',
  '/webhooks/forge',
  '/v1/jobs',
  '/v1/runners',
  '/v1/about',
  '/v1/deliveries',
  '/v1/deliveries/%00/replay',
  '/',
  '/metrics',
]
const oddSegments = [
  '%',
  '%ff',
  '%00',
  '..',
  '%2e%2e%2f',
  '-1',
  '0',
  '999999999999999999999',
  'simulated:1',
  'a:b:c',
  '\u00ff',
  '{}',
  "'--",
  'NaN',
]
