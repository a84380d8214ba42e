import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished, type TestContext } from 'vitest'
import { clock } from '../../test/support/machine.ts'
import { realAgent, skipLoudly } from '../../test/support/real-agent.ts'
import { createKernelFiles } from '../adapters/host-agent/index.ts'
import { findHierarchies, type Hierarchies } from './cgroup/hierarchies.ts'
import { podUidAt } from './testing/imitation.ts'

const boundMs = 60_000
const cgroups = '/sys/fs/cgroup'
const limit = 5

it('the samples of a pod show the forks that the kernel really refused, and the limit that refused them', {
  timeout: 2 * boundMs,
}, async (test) => {
  const hierarchies = findHierarchies(createKernelFiles(), cgroups)
  skipLoudly(test, process.getuid?.() === 0, 'only root makes groups')
  if (hierarchies?.pids == null) return skipLoudly(test, false, 'no pids controller is mounted')
  const base = `holdfast-agent-pids-test-${process.pid}`
  const pod = path.join(base, 'kubepods', 'burstable', `pod${podUidAt(process.pid)}`)
  const remove = makeGroups(test, hierarchies, path.join(pod, 'c0ffee'))
  const podFolder = path.join(hierarchies.pids, pod)
  const container = path.join(podFolder, 'c0ffee')
  writeFileSync(path.join(podFolder, 'pids.max'), `${limit}`)
  const { agent, push } = await realAgent(cgroups, base)
  const sampledSince = (at: number) =>
    expect
      .poll(() => clock.now() - (agent.status().lastSampleAgeMs ?? Number.POSITIVE_INFINITY), {
        timeout: boundMs,
      })
      .toBeGreaterThan(at)
  await sampledSince(0)

  // A shell that is refused a process gives up: the eight that it wants are more than the limit.
  const forker = spawn('/bin/sh', [
    ...['-c', 'echo $$ > "$0/cgroup.procs"; for i in 1 2 3 4 5 6 7 8; do sleep 300 & done; wait', container],
  ])
  onTestFinished(() => void killAll(container))
  const ended = once(forker, 'exit')
  const count = (folder: string) => readFileSync(path.join(folder, 'pids.events'), 'utf8')
  await expect.poll(() => count(container) + count(podFolder), { timeout: boundMs }).toMatch(/max [1-9]/)
  await expect.poll(() => killAll(container), { timeout: boundMs }).toBe(0)
  await ended
  await sampledSince(clock.now())
  remove()
  await expect.poll(() => push.tries.at(-1)?.endedAt ?? 0, { timeout: boundMs }).toBeGreaterThan(0)
  const samples = push.tries.at(-1)?.samples ?? []
  expect(samples[0]).toMatchObject({ processesMax: limit, forksRefused: 0 })
  expect(samples.at(-1)?.forksRefused).toBeGreaterThan(0)
  expect(samples.at(-1)).toMatchObject({ processesMax: limit })
})

/** Creates a group in each hierarchy and returns its removal; skips where this machine does not let us. */
function makeGroups(test: TestContext, { memory, pids, version }: Hierarchies, group: string): () => void {
  const made: string[] = []
  const remove = () => {
    for (const folder of made.splice(0).reverse()) rmdirSync(folder)
  }
  onTestFinished(remove)
  try {
    for (const mount of new Set([memory, pids ?? memory])) {
      let at = mount
      for (const name of group.split('/')) {
        if (version === 2) writeFileSync(path.join(at, 'cgroup.subtree_control'), '+memory +pids')
        at = path.join(at, name)
        mkdirSync(at)
        made.push(at)
      }
    }
  } catch (error) {
    skipLoudly(test, false, `no group can be made here: ${error}`)
  }
  return remove
}

/** Kills the processes of a group; returns their number. A process that is just ending is listed as 0, which is no pid. */
function killAll(folder: string): number {
  const file = path.join(folder, 'cgroup.procs')
  const all = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : []
  for (const pid of all.filter((each) => each > 1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
  return all.length
}
