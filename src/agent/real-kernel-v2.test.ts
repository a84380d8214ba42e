import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { clock, entropy, recordedLog } from '../../test/support/machine.ts'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { createKernelFiles, openKernelLog, openRingFiles } from '../adapters/host-agent/index.ts'
import { createAgent } from './agent.ts'
import { FakePush } from './testing/fakes.ts'
import { podUidAt } from './testing/imitation.ts'

const boundMs = 60_000
/** Where version 2 alone is mounted, and where it stands beside version 1. */
const mounts = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified']

it('reads processor time and pressure of a real group of version 2; ITS MEMORY ONLY WHERE VERSION 1 HAS NOT TAKEN THAT CONTROLLER (else imitated files show it)', {
  timeout: 2 * boundMs,
}, async (test) => {
  const mount = mounts.find((each) => existsSync(path.join(each, 'cgroup.controllers')))
  if (mount === undefined || process.getuid?.() !== 0) {
    process.stderr.write(
      'NOT SHOWN ON THIS MACHINE: version 2 of cgroups is not mounted, or we are not root\n',
    )
    test.skip()
    return
  }
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
  const folder = untilTestEnds(await temporaryFolder('holdfast-agent-v2-')).path
  const push = new FakePush()
  const agent = createAgent({
    ...{ clock, entropy, log: recordedLog(), push, files: createKernelFiles() },
    kernelLog: openKernelLog('/dev/kmsg'),
    rings: openRingFiles(folder),
    settings: {
      ...{ url: '', tokenFile: '', node: 'this', folder, cgroups: mount, below: base, proc: '/proc' },
      ...{ kernelLog: '/dev/kmsg', images: folder, sampleMs: 100 },
    },
  })
  const stopping = new AbortController()
  const running = agent.run(stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await running
    agent.close()
  })
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
