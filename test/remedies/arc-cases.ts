import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { busyboxImage } from '../cluster/index.ts'
import { arcApi } from '../cluster/testing/arc-kinds.ts'
import type { Bench, Case } from './cases.ts'
import { opened } from './fix-cases.ts'
import { expectMade, type Json, runnersPath } from './ground.ts'
import { remakeSet } from './stand-in-arc.ts'

const set = ['--scale-set', 'arc-runners/arc-demo']
const setPath = `${arcApi}/namespaces/arc-runners/autoscalingrunnersets/arc-demo`
const image = 'ghcr.io/actions/actions-runner:2.330.0'
const mergePatch = 'application/merge-patch+json'
const credential = 'planted-credential-of-arc-71ce'

/** For ARC's own states: one case in which a person must act first, a true case, and one in which the fleet changed. */
export const arcCases: Readonly<Record<string, Case>> = {
  async 'outdated: before the image is renewed nothing is planned, and the gate says what to do'(bench) {
    const { run } = await opened(bench, '0.14.2/g-outdated', 'outdated')
    const { code, out } = await run('fix', 'outdated', ...set)
    bench.say(out)
    assert.equal(code, 5, out)
    assert.match(out, /image-renewed/)
    assert.match(out.replaceAll(/\s+/g, ' '), /put a newer runner image into the source of arc-demo/)
    assert.equal(await phaseOf(bench), 'Outdated')
  },

  async 'outdated: with a newer image behind its tag, ARC makes the set again'(bench) {
    const { run, plan } = await opened(bench, '0.14.2/g-outdated', 'outdated')
    // A set that wants runners is proven only by one that lives for a minute.
    await bench.ground.cluster.api.request('PATCH', setPath, { spec: { minRunners: 0 } }, mergePatch)
    const { hash, out } = await plan(...set, '--image-renewed', image)
    bench.say(out)
    assert.equal(await phaseOf(bench), 'Outdated')
    const arc = remakeSet(bench.ground.cluster)
    const applied = await run('fix', 'outdated', '--apply', hash).finally(() => arc[Symbol.asyncDispose]())
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.equal(await phaseOf(bench), 'Running')
    const again = await run('fix', 'outdated', '--apply', hash)
    assert.equal(again.code, 5, again.out)
    assert.match(again.out, /plan-unused/)
  },

  async 'outdated: the set is written after the plan, and nothing is touched'(bench) {
    const { run, plan } = await opened(bench, '0.14.2/g-outdated', 'outdated')
    const { hash } = await plan(...set, '--image-renewed', image)
    await bench.ground.cluster.api.request('PATCH', setPath, { metadata: { labels: { a: 'b' } } }, mergePatch)
    const { code, out } = await run('fix', 'outdated', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /same-object/)
    assert.equal(await phaseOf(bench), 'Outdated')
  },

  async 'a stuck finalizer: the dead credential is proven, its repair is named, and then the runner goes'(
    bench,
  ) {
    const { run, plan, left } = await held(bench)
    const refused = await run('fix', 'stuck-finalizers', ...set, '--min-age-seconds', '0')
    bench.say(refused.out)
    assert.equal(refused.code, 5, refused.out + refused.err)
    assert.match(refused.out, /credential-accepted/)
    assert.match(refused.out.replaceAll(/\s+/g, ' '), /401 Bad credentials.*holdfast fix secret-drift/)
    const before = await left()
    // Somebody repairs the credential; this ARC looks again only when the runner is written.
    const { api } = bench.ground.cluster
    const good = { github_token: Buffer.from(`${credential}-good`).toString('base64') }
    await api.request('PATCH', secretPath, { data: good }, mergePatch)
    const { hash, out } = await plan(...set, '--min-age-seconds', '0')
    bench.say(out)
    const look = looksWhenTouched(bench)
    const applied = await run('fix', 'stuck-finalizers', '--apply', hash).finally(() =>
      look[Symbol.asyncDispose](),
    )
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.equal((await left()).length, before.length - 1)
    const shown = refused.out + out + applied.out + applied.err + (await run('trail', 'list', '--json')).out
    assert.ok(!shown.includes(credential))
  },

  async 'a stuck finalizer: the credential dies again after the plan, and nothing is touched'(bench) {
    const { run, plan, left } = await held(bench)
    const before = await left()
    bench.forge.refused = 'nobody'
    const { hash } = await plan(...set, '--min-age-seconds', '0')
    bench.forge.refused = credential
    const { code, out } = await run('fix', 'stuck-finalizers', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /credential-accepted/)
    assert.deepEqual(await left(), before)
  },
}

const secretPath = '/api/v1/namespaces/arc-runners/secrets/arc-demo-gha-rs-github-secret'

async function phaseOf({ ground }: Bench): Promise<string> {
  return (await ground.cluster.api.request('GET', setPath)).body.status.phase
}

/** A runner that was deleted while the forge refuses ARC's credential, and a controller that says so in its log. */
async function held(bench: Bench) {
  const given = await opened(bench, '0.14.2/a-healthy-idle', 'stuck-finalizers')
  const { api } = bench.ground.cluster
  const [name = ''] = given.first
  for (const each of given.first) bench.forge.registered.add(each)
  bench.forge.refused = credential
  await expectMade(api, '/api/v1/namespaces/arc-runners/secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'arc-demo-gha-rs-github-secret', namespace: 'arc-runners' },
    stringData: { github_token: credential },
  })
  await api.request('DELETE', `${runnersPath}/${name}`)
  const line = `2026-11-16T12:33:56Z\tERROR\tEphemeralRunner\tFailed to clean up runner from service\t{"version": "0.14.2", "ephemeralrunner": {"name":"${name}","namespace":"arc-runners"}, "error": "failed to get runner registration token (401 Unauthorized): : Bad credentials"}`
  await makeController(bench, line)
  return given
}

/** A stand-in for ARC's controller: a real pod that prints the line that the real one wrote. */
async function makeController({ ground }: Bench, line: string): Promise<void> {
  const { api } = ground.cluster
  const pods = '/api/v1/namespaces/arc-systems/pods'
  const quoted = line.replaceAll('\t', ' ').replaceAll("'", '')
  await expectMade(api, pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'controller',
      namespace: 'arc-systems',
      labels: { 'app.kubernetes.io/name': 'gha-rs-controller' },
    },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'manager', image: busyboxImage, command: ['sh', '-c', `echo '${quoted}'; sleep 600`] },
      ],
    },
  })
  for (let tries = 0; tries < 120; tries++) {
    const { text } = await api.request('GET', `${pods}/controller/log`)
    if (text.includes('Failed to clean up')) return
    await sleep(500)
  }
  throw new Error('the stand-in for the controller wrote nothing')
}

/** ARC's back-off is long: it looks at a runner again once somebody wrote it. */
function looksWhenTouched({ ground, forge }: Bench): AsyncDisposable {
  const ending = new AbortController()
  const loop = (async () => {
    while (!ending.signal.aborted) {
      const answer = await ground.cluster.api.request('GET', runnersPath).catch(() => null)
      const touched = ((answer?.body?.items ?? []) as Json[]).some(
        ({ metadata }) => metadata.annotations?.['holdfast.dev/looked-at'] !== undefined,
      )
      if (touched) forge.refused = null
      await sleep(200, undefined, { signal: ending.signal }).catch(() => {})
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await loop
    },
  }
}
