import { describe, expect, it } from 'vitest'
import { demoSet, openGround } from '../../../../test/support/remedy-ground.ts'
import { fix } from './index.ts'

const never = new AbortController().signal
const [good, stale] = ['planted-good-5c1e', 'planted-stale-77ab']
const name = 'arc-demo-gha-rs-github-secret'
const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`

/** The healthy set of ARC's real controller, whose credential is another next to its listener. */
async function ground(lines: readonly string[]) {
  const opened = await openGround('0.14.2/a-healthy-idle')
  const { truth, faults } = opened.api
  const put = (namespace: string, value: string) =>
    truth.put(secretsIn(namespace), name, {
      metadata: { namespace },
      type: 'Opaque',
      data: { github_token: Buffer.from(value).toString('base64') },
    })
  put('arc-runners', good)
  put('arc-systems', stale)
  faults.push(({ path }, response) => {
    if (!path.endsWith('/log')) return true
    response.end(lines.map((line) => `2026-11-16T12:30:00Z ${line}\n`).join(''))
    return undefined
  })
  const copy = () => {
    const data = truth.get(secretsIn('arc-systems'), name)?.data as { github_token: string }
    return Buffer.from(data.github_token, 'base64').toString()
  }
  const order = { ...opened.order, remedy: 'secret-drift', scope: demoSet } as const
  const run = (apply: string | null = null) => fix(opened.config, { ...order, apply }, never)
  return { ...opened, run, copy, put }
}

describe('holdfast fix secret-drift on a cluster', () => {
  it('copies what the listener has its session with, and stores no value anywhere', async () => {
    const { run, copy, stored } = await ground(['msg="Getting next message"'])
    const { hash, plan } = await run()
    expect([plan.objects, copy()]).toMatchObject([[{ namespace: 'arc-systems', name }], stale])
    const report = await run(hash)
    expect([report.state, copy()]).toEqual(['done', good])
    const artefacts = stored() + JSON.stringify([plan, report])
    for (const value of [good, stale]) {
      expect(artefacts).not.toContain(value)
      expect(artefacts).not.toContain(Buffer.from(value).toString('base64'))
    }
    expect(artefacts).toContain(name)
  })

  it('plans nothing where the log shows no session', async () => {
    const { run, copy } = await ground(['403 Forbidden'])
    const { state, plan } = await run()
    expect([state, plan.skipped.map(({ why }) => why).join(), copy()]).toEqual([
      'observed',
      expect.stringContaining('source-proven'),
      stale,
    ])
  })

  it('writes nothing where a copy changed after the plan', async () => {
    const { run, copy, put } = await ground(['msg="Getting next message"'])
    const { hash } = await run()
    put('arc-systems', 'theirs')
    expect([(await run(hash)).state, copy()]).toEqual(['aborted', 'theirs'])
  })
})
