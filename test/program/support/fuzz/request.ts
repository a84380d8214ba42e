import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { anyContent, jobMessage, question } from './content.ts'
import { type AnyRequest, built, type Framing, type Header } from './frame.ts'
import { header, type Known, target } from './parts.ts'

export type { AnyRequest, Known }

/** Requests to intake and dispatch, and around them: a third of them wrong all over, the others in few places. */
export function anyRequest(known: Known): fc.Arbitrary<AnyRequest> {
  return fc.oneof(wild(known), nearWebhook(known), nearDispatch(known))
}

/** Signed as it should be; what it says may be anything. */
function nearWebhook({ webhookSecret }: Known): fc.Arbitrary<AnyRequest> {
  const event = fc.constantFrom(
    'workflow_job',
    'workflow_job',
    'workflow_job',
    'ping',
    'push',
    'installation',
  )
  const content = fc.oneof({ weight: 3, arbitrary: jobMessage() }, { weight: 1, arbitrary: anyContent() })
  return fc.tuple(event, content, fc.uuid()).map(([kind, body, guid]) => {
    const headers = signature(body, webhookSecret, guid).filter(([name]) => name !== 'x-github-event')
    return built('POST', '/webhooks/forge', [...headers, ['x-github-event', kind]], 'length', body)
  })
}

/** From a runner that is known; what it says may be anything. */
function nearDispatch(known: Known): fc.Arbitrary<AnyRequest> {
  const path = fc.constantFrom('/v1/dispatch', '/v1/dispatch/ack')
  const framing = fc.constantFrom<Framing>('length', 'chunked', 'longer')
  return fc.tuple(path, question(known.runner), framing).map(([at, body, frame]) => {
    const authorization: Header = ['authorization', `Bearer ${known.runnerSecret}`]
    return built('POST', at, [authorization, ['content-type', 'application/json']], frame, body)
  })
}

function wild(known: Known): fc.Arbitrary<AnyRequest> {
  return fc
    .record({
      method: fc.constantFrom(...methods),
      target: target(),
      headers: fc.array(header(known), { maxLength: 6 }),
      body: body(known),
      framing: fc.constantFrom(...framings),
      isSigned: fc.boolean(),
      guid: fc.uuid(),
      junk: fc.uint8Array({ maxLength: 40 }),
    })
    .map(({ method, target: at, headers, body: content, framing, isSigned, guid, junk }) => {
      const signed = isSigned ? signature(content, known.webhookSecret, guid) : []
      return built(method, at, [...headers, ...signed], framing, content, Buffer.from(junk))
    })
}

function body({ runner }: Known): fc.Arbitrary<Buffer> {
  return fc.oneof(question(runner), jobMessage(), anyContent())
}

function signature(content: Buffer, secret: string, guid: string): Header[] {
  return [
    ['x-hub-signature-256', `sha256=${createHmac('sha256', secret).update(content).digest('hex')}`],
    ['x-github-delivery', guid],
    ['x-github-event', 'workflow_job'],
    ['content-type', 'application/json'],
  ]
}

const framings: readonly Framing[] = [
  'length',
  'length',
  'length',
  'chunked',
  'shorter',
  'longer',
  'both',
  'broken-chunks',
  'no-number',
  'none',
]
const methods = [
  'POST',
  'POST',
  'POST',
  'GET',
  'HEAD',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'BREW',
  'post',
]
