import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished, type TestContext } from 'vitest'
import { clock } from '../../test/support/machine.ts'
import { realAgent, skipLoudly } from '../../test/support/real-agent.ts'
import { createKernelFiles } from '../adapters/host-agent/index.ts'
import { findHierarchies } from './cgroup/hierarchies.ts'
import { podUidAt } from './testing/imitation.ts'

const bytesPerMiB = 1024 * 1024
const boundMs = 60_000
const cgroups = '/sys/fs/cgroup'

it('shows in a pod’s ring the kill that the kernel really did at its limit', {
  timeout: 2 * boundMs,
}, async (test) => {
  const base = `holdfast-agent-test-${process.pid}`
  const uid = podUidAt(process.pid)
  const pod = path.join(base, 'kubepods', 'burstable', `pod${uid}`)
  const container = openContainer(test, pod)
  const { agent, push } = await realAgent(cgroups, base)
  await expect.poll(() => agent.status().lastSampleAgeMs, { timeout: boundMs }).not.toBeNull()

  const eater = spawn('/bin/sh', [
    ...[
      '-c',
      'echo $$ > "$0/cgroup.procs"; exec dd if=/dev/zero of=/dev/null bs=300M count=1',
      container.folder,
    ],
  ])
  expect(await once(eater, 'exit')).toEqual([null, 'SIGKILL'])
  await expect.poll(() => push.tries.at(-1)?.oomLines.length, { timeout: boundMs }).toBe(1)
  const alive = push.tries.at(-1)
  expect(alive).toMatchObject({ podUid: uid, node: 'this', endedAt: null })
  expect(alive?.oomLines[0]?.line).toMatch(new RegExp(`^oom-kill:.*pod${uid}.*,task=dd,pid=${eater.pid},`))
  expect(Math.abs((alive?.oomLines[0]?.at ?? 0) - clock.now())).toBeLessThan(boundMs)
  expect(alive?.samples.at(-1)).toMatchObject({ oomKills: 1, memoryLimitBytes: 32 * bytesPerMiB })
  expect(alive?.samples[0]).toMatchObject({ oomKills: 0 })
  expect(alive?.samples.at(-1)?.nodeDiskFreeBytes).toBeGreaterThan(0)

  container.remove()
  await expect.poll(() => push.tries.at(-1)?.endedAt, { timeout: boundMs }).not.toBeNull()
  expect(push.tries.at(-1)).toMatchObject({ podUid: uid, oomLines: [{}] })
})

/** A pod's group of 32 MiB with a container's in it; skips where this machine does not let us make one. */
function openContainer(test: TestContext, pod: string) {
  const hierarchies = findHierarchies(createKernelFiles(), cgroups)
  skipLoudly(test, process.getuid?.() === 0, 'only root makes groups and reads the kernel’s log')
  skipLoudly(test, hierarchies !== null, 'no cgroups are mounted')
  const [mount, file] =
    hierarchies?.version === 1
      ? [hierarchies.memory, 'memory.limit_in_bytes']
      : [hierarchies?.memory ?? '', 'memory.max']
  const folders: string[] = []
  const remove = () => {
    for (const folder of folders.splice(0).reverse()) rmdirSync(folder)
  }
  onTestFinished(remove)
  let at = mount
  try {
    for (const name of [...pod.split('/'), 'c0ffee']) {
      if (hierarchies?.version === 2) writeFileSync(path.join(at, 'cgroup.subtree_control'), '+memory +pids')
      at = path.join(at, name)
      mkdirSync(at)
      folders.push(at)
    }
    writeFileSync(path.join(path.dirname(at), file), String(32 * bytesPerMiB))
  } catch (error) {
    skipLoudly(test, false, `no group can be made here: ${error}`)
  }
  return { folder: at, remove }
}
