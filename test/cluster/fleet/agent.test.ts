import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HostSamples, vitalsOf } from '../../../src/domain/death/index.ts'
import { containerProcesses, slowDown } from '../../deaths/host-side.ts'
import { run } from '../../support/go-build.ts'
import { until } from '../machine/until.ts'
import { tokenOf } from '../testing/tokens.ts'
import { type Acts, actsIn } from './acts.ts'
import { type Agents, agentAccount, agentsIn, explain } from './agents.ts'
import type { Life } from './holdfast.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const pool = 'linux'
/** One whose runners print their vitals. */
const vital = 'vital'
const pods = '/api/v1/namespaces/agent/pods'
const soonMs = 60_000
/** A pod that lives is pushed within a minute, and each minute. */
const pushedWithinMs = 90_000
const lostWithinMs = 180_000
/** Many processes that are smaller than the runner: the kernel takes the largest. */
const crowd = 'for i in $(seq 12); do dd if=/dev/zero bs=15M count=1 | sleep 60 & done; sleep 60'
const privileged = (security: Record<string, unknown>): void => {
  security.privileged = true
  delete security.allowPrivilegeEscalation
}

describe('the agent on real nodes (version 1 of cgroups), as deploy/agent.yaml starts it', () => {
  let world: World
  let life: Life
  let acts: Acts
  let agents: Agents
  beforeAll(async () => {
    world = await openWorld('agent', { nodes: 2, own: 'agents see all pods of a node, and one node dies' })
    acts = actsIn(world)
    life = await world.holdfast({ env: { HOLDFAST_AGENT_SERVICE_ACCOUNT: agentAccount } })
    await life.serving
    agents = agentsIn(world, life)
    await agents.prepare()
    await agents.apply()
    const spec = { idleTimeoutSeconds: 2, resources: { limits: { memory: '192Mi' } } }
    await world.pool(pool, spec)
    await world.pool(vital, { ...spec, vitals: true })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** A job that runs, in a pod that the agent of its node has watched for some seconds. */
  async function watched(script: string, of = pool) {
    const { job, runner } = await acts.running(script, of)
    const pod = await acts.pod(runner.name)
    const { nodeName: node } = pod.spec
    await agents.watches(node, pod.metadata.uid)
    return { job, name: runner.name, uid: pod.metadata.uid as string, node: node as string }
  }
  const containerOf = async (name: string): Promise<string> =>
    until(`the kubelet says that ${name} runs`, soonMs, async () => {
      const statuses = (await acts.pod(name))?.status.containerStatuses ?? []
      return statuses.find((each: { name: string }) => each.name === 'runner')?.containerID
    })
  const kill9 = async (name: string): Promise<void> =>
    void process.kill((await containerProcesses(await containerOf(name))).init, 'SIGKILL')
  const recordOf = async (name: string) => (await world.rows.runner(name))?.record
  const agentWords = (explanation: Awaited<ReturnType<typeof explain>>) =>
    explanation.evidence.filter(({ source }) => source === 'agent').map(({ text }) => text)
  const seenBefore = ({ samples }: HostSamples, at: number) => samples.filter((each) => each.at < at)

  it('says that it cannot read the kernel’s log, and does not take its silence for a sign', async () => {
    const { name, uid, node } = await watched(`sleep 15; ${crowd}`)
    const ring = await agents.ended(uid)
    await settled(world)
    expect(ring).toMatchObject({ node, oomLines: [] })
    expect(ring.missing.join()).toMatch(/lines of the kernel: E(PERM|ACCES)/)
    expect(seenBefore(ring, (await recordOf(name)).ending.endedAt).length).toBeGreaterThanOrEqual(5)
    const { verdict, unknown } = await explain(life, name)
    expect(verdict?.class).toBe('container-oom')
    expect(unknown.join()).toMatch(/not read by the agent: lines of the kernel/)
  })

  it('with the kernel’s log has its line about the kill of this pod, and samples from before', async () => {
    await agents.apply(privileged)
    const { name, uid } = await watched(`sleep 15; ${crowd}`)
    const ring = await agents.ended(uid)
    await settled(world)
    const { ending } = await recordOf(name)
    expect(ring.oomLines.length).toBeGreaterThanOrEqual(1)
    for (const { line, at } of ring.oomLines) {
      expect(line).toMatch(new RegExp(`^oom-kill:.*/pod${uid}/`))
      expect(Math.abs(at - ending.endedAt)).toBeLessThan(5_000)
    }
    expect(seenBefore(ring, ending.endedAt).length).toBeGreaterThanOrEqual(5)
    expect(seenBefore(ring, ending.endedAt).at(-1)?.memoryLimitBytes).toBe(192 * 1024 * 1024)
    const explanation = await explain(life, name)
    expect(explanation.verdict).toMatchObject({ class: 'container-oom', confidence: 'proven' })
    expect(agentWords(explanation).join('\n')).toMatch(
      new RegExp(`The kernel wrote: oom-kill:[^\n]*pod${uid}[^]*The newest sample was \\d+ s old when its`),
    )
    expect(explanation.timeline.some(({ text }) => text.startsWith('The agent has samples from here'))).toBe(
      true,
    )
  })

  it('shows of a runner that somebody killed on its node that memory was not the reason', async () => {
    const { name, uid } = await watched('sleep 120')
    await kill9(name)
    const ring = await agents.ended(uid)
    await settled(world)
    expect(ring.oomLines).toEqual([])
    expect(seenBefore(ring, (await recordOf(name)).ending.endedAt).length).toBeGreaterThanOrEqual(3)
    expect(ring.lastSampleAgeMs).toBeLessThan(5_000)
    // cgroup v1 has no pressure of groups, unless v2 is mounted as well.
    const hasPressure = existsSync('/sys/fs/cgroup/unified/cpu.pressure')
    expect(typeof ring.samples.at(-1)?.cpuPressure).toBe(hasPressure ? 'number' : 'object')
    const { verdict, ruledOut } = await explain(life, name)
    expect(verdict?.class).toBe('sigkill-unknown')
    expect(ruledOut.join()).toContain('not an OOM kill on its node')
  })

  it('shows of a runner that the forge gave up that its CPU limit had held it back', async () => {
    await world.pool('slow', { idleTimeoutSeconds: 2, stopGraceSeconds: 4 })
    const hungry = 'for i in 1 2 3; do while :; do :; done & done; sleep 300'
    const { name, uid } = await watched(hungry, 'slow')
    const { init } = await containerProcesses(await containerOf(name))
    // A thousandth of a processor may still do for a renewal now and then: without its network it has none for certain.
    await run('nsenter', ['--target', `${init}`, '--net', '--', 'ip', 'link', 'set', 'eth0', 'down'])
    await slowDown(init)
    await until('its end is on record', lostWithinMs, () => recordOf(name))
    await agents.ended(uid)
    await settled(world)
    const { verdict } = await explain(life, name)
    expect(verdict?.class).toBe('forge-gave-up')
    // Samples of some time ago are fewer: one step may also have what it did before it was held back.
    expect(verdict?.because.join(' ')).toMatch(
      /its CPU limit held it back for \d+ s of (?:these|the minute)/i,
    )
  }, 300_000)

  it('is not needed for a runner’s own vitals, which are in its log where its pool wants them', async () => {
    const { name } = await watched('sleep 120', vital)
    await until('two of them are in its log', soonMs, async () => {
      const { text } = await world.cluster.api.request('GET', `${pods}/${name}/log?container=runner`)
      return vitalsOf(text).length >= 2
    })
    await kill9(name)
    await settled(world)
    const found = vitalsOf((await recordOf(name)).ending.tail)
    expect(found.length).toBeGreaterThanOrEqual(2)
    expect(found.at(-1)?.values).toMatchObject({
      mem_current: expect.any(Number),
      mem_max: 192 * 1024 * 1024,
      oom_kill: 0,
      pids: expect.any(Number),
    })
  })

  it('that is killed itself goes on with what it saw before, from its file on the node', async () => {
    const { uid, node } = await watched('sleep 20')
    const killedAt = await agents.kill(node)
    await until('it is begun again', soonMs, async () => {
      const { restartCount } = (await agents.pod(node)).status.containerStatuses[0]
      return restartCount > 0
    })
    const ring = await agents.ended(uid)
    expect(seenBefore(ring, killedAt).length).toBeGreaterThanOrEqual(3)
    expect(ring.samples.length).toBeGreaterThan(seenBefore(ring, killedAt + 1_000).length)
    await settled(world)
    expect(await agents.fileOf(node, uid)).toBe('')
  })

  it('is trusted by its token alone, and about its own node alone', async () => {
    const { name, uid } = await watched('sleep 20')
    const pod = { name, uid }
    const push = async (token: string | null, node: string) => {
      const headers = {
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      }
      const ring: HostSamples = {
        podUid: 'invented',
        node,
        samples: [],
        oomLines: [],
        endedAt: 1,
        lastSampleAgeMs: null,
        missing: [],
      }
      const body = JSON.stringify(ring)
      return (await fetch(`${life.url}/v1/agent/rings`, { method: 'POST', headers, body })).status
    }
    expect(await push(null, 'node-1')).toBe(401)
    expect(await push(await tokenOf(world.cluster, { namespace: world.namespace, pod }), 'node-1')).toBe(401)
    expect(
      await push(
        await tokenOf(world.cluster, { namespace: world.namespace, audience: 'other', pod }),
        'node-1',
      ),
    ).toBe(401)
    expect(await push(await agents.token('node-1'), 'node-2')).toBe(409)
    expect(await agents.arrived('invented')).toBeUndefined()
    expect(await push(await agents.token('node-1'), 'node-1')).toBe(202)
    await settled(world)
  })

  it('leaves what it saw up to its last push where the node dies whole', async () => {
    const { name, uid, node } = await watched('sleep 900')
    const ring = await until('its ring arrives while it lives', pushedWithinMs, () => agents.arrived(uid))
    expect(ring).toMatchObject({ node, endedAt: null })
    const { all } = await containerProcesses(await containerOf(name))
    await world.cluster.parts.kill(`${node}-kubelet`)
    await agents.kill(node)
    for (const pid of all) process.kill(pid, 'SIGKILL')
    await world.cluster.parts.kill(`${node}-containerd`)
    await world.cluster.api.request('DELETE', `/api/v1/nodes/${node}`)
    const record = await until('its end is on record', lostWithinMs, () => recordOf(name))
    expect(record.class).toBe('node-lost')
    const explanation = await explain(life, name)
    expect(explanation.verdict?.class).toBe('node-lost')
    expect(agentWords(explanation).join('\n')).toMatch(
      /The newest sample was \d+ s old when the agent last sent it/,
    )
    expect(explanation.unknown.join()).toMatch(/its last \d+ s: the agent saw nothing of them/)
  }, 400_000)
})
