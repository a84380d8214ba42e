import assert from 'node:assert/strict'
import type { Bench, Case } from './cases.ts'
import { opened, set } from './fix-cases.ts'
import { expectMade, type Json } from './ground.ts'
import { restartListener } from './listener-pod.ts'

const mergePatch = 'application/merge-patch+json'
const name = 'arc-demo-gha-rs-github-secret'
const [good, stale] = ['planted-good-2b9d', 'planted-stale-77ab']
const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`
const served = 'level=INFO msg="Getting next message" component=listener lastMessageID=0'

/** Credentials of ARC that drifted; the listener's pod really runs, and prints what a listener prints. */
export const secretCases: Readonly<Record<string, Case>> = {
  async 'a drifted credential: the one with a session is copied, and no value shown or stored'(bench) {
    const { run, plan } = await drifted(bench, served)
    const { hash, out } = await plan(...set)
    bench.say(out)
    const applied = await run('fix', 'secret-drift', '--apply', hash)
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.equal(await copyIn(bench), good)
    const shown = out + applied.out + applied.err + (await run('trail', 'list', '--json')).out
    for (const value of [good, stale]) assert.ok(!shown.includes(value))
  },

  async 'a drifted credential: the listener has no session, and nothing is planned'(bench) {
    const { run } = await drifted(
      bench,
      'level=ERROR msg="Application returned an error" error="403 Forbidden"',
    )
    const { code, out } = await run('fix', 'secret-drift', ...set)
    assert.equal(code, 0, out)
    assert.match(out.replaceAll(/\s+/g, ' '), /source-proven: its log shows no session/)
    assert.equal(await copyIn(bench), stale)
  },

  async 'a drifted credential: the copy is written by another after the plan, and stays'(bench) {
    const { run, plan } = await drifted(bench, served)
    const { hash } = await plan(...set)
    const { api } = bench.ground.cluster
    const theirs = { stringData: { github_token: 'theirs' } }
    await api.request('PATCH', `${secretsIn('arc-systems')}/${name}`, theirs, mergePatch)
    const { code, out } = await run('fix', 'secret-drift', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /same-object/)
    assert.equal(await copyIn(bench), 'theirs')
  },
}

/** Both copies, then the listener: it must be younger than the Secret that it proves. */
async function drifted(bench: Bench, line: string) {
  const ready = await opened(bench, '0.14.2/a-healthy-idle', 'secret-drift')
  for (const [namespace, value] of [
    ['arc-runners', good],
    ['arc-systems', stale],
  ] as const)
    await expectMade(bench.ground.cluster.api, secretsIn(namespace), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      stringData: { github_token: value },
    })
  await restartListener(bench, line)
  return ready
}

async function copyIn({ ground }: Bench): Promise<string> {
  const { body }: { body: Json } = await ground.cluster.api.request(
    'GET',
    `${secretsIn('arc-systems')}/${name}`,
  )
  return Buffer.from(body.data.github_token, 'base64').toString()
}
