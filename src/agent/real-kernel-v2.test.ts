import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { realAgent, skipLoudly } from '../../test/support/real-agent.ts'
import { podUidAt } from './testing/imitation.ts'

const boundMs = 60_000
/** The mount of version 2 alone, and its mount next to version 1. */
const mounts = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified']

it('reads processor time and pressure of a real group of version 2; ITS MEMORY ONLY WHERE VERSION 1 HAS NOT TAKEN THAT CONTROLLER (else imitated files show it)', {
  timeout: 2 * boundMs,
}, async (test) => {
  const mount = mounts.find((each) => existsSync(path.join(each, 'cgroup.controllers')))
  skipLoudly(test, process.getuid?.() === 0, 'only root makes groups')
  if (mount === undefined) return skipLoudly(test, false, 'version 2 of cgroups is not mounted')
  const hasMemory = readFileSync(path.join(mount, 'cgroup.controllers'), 'utf8')
    .split(/\s/)
    .includes('memory')
  const base = `holdfast-agent-test-v2-${process.pid}`
  const uid = podUidAt(process.pid)
  const names = [base, 'kubepods', 'burstable', `pod${uid}`, 'c0ffee']
  const folders = names.map((_, index) => path.join(mount, ...names.slice(0, index + 1)))
  for (const folder of folders) mkdirSync(folder)
  const remove = () => {
    for (const folder of folders.splice(0).reverse()) rmdirSync(folder)
  }
  onTestFinished(remove)
  const busy = spawn('/bin/sh', [
    ...['-c', 'echo $$ > "$0/cgroup.procs"; while :; do :; done', folders.at(-1) as string],
  ])
  onTestFinished(() => void busy.kill('SIGKILL'))
  const { agent, push } = await realAgent(mount, base)
  const ended = once(busy, 'exit')
  const used = () =>
    Number(/usage_usec (\d+)/.exec(readFileSync(path.join(folders[3] as string, 'cpu.stat'), 'utf8'))?.[1])
  await expect.poll(used, { timeout: boundMs }).toBeGreaterThan(500_000)
  busy.kill('SIGKILL')
  await ended
  await expect.poll(() => agent.status().lastSampleAgeMs, { timeout: boundMs }).toBeLessThan(500)
  remove()
  await expect.poll(() => push.tries.at(-1)?.endedAt ?? 0, { timeout: boundMs }).toBeGreaterThan(0)
  const [first, last] = [push.tries.at(-1)?.samples[0], push.tries.at(-1)?.samples.at(-1)]
  expect(push.tries.at(-1)).toMatchObject({ podUid: uid, missing: [] })
  expect(last?.cpuMs).toBeGreaterThanOrEqual(200) // the newest may be from some time before the end
  expect(last?.cpuMs).toBeGreaterThan(first?.cpuMs ?? 0)
  const hasPressure = existsSync('/proc/pressure/cpu')
  for (const pressure of [last?.cpuPressure, last?.memoryPressure, last?.ioPressure]) {
    expect(typeof pressure).toBe(hasPressure ? 'number' : 'object')
  }
  if (!hasMemory) expect(last).toMatchObject({ memoryBytes: null, oomKills: null, processes: null })
})
