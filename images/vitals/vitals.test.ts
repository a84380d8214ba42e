import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { vitalKeys, vitalsOf } from '../../src/domain/death/index.ts'
import { temporaryFolder } from '../../test/support/temporary.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { openShell, type ShellName, underEachShell } from '../poller/testing/shells.ts'

const script = fileURLToPath(new URL('./vitals.sh', import.meta.url))
const some = (share: string) => `some avg10=${share} avg60=0.00 avg300=0.00 total=1\nfull avg10=9.00\n`
const proc = {
  'proc/uptime': '100.00 50.00\n',
  'proc/loadavg': '1.50 0.50 0.10 1/100 1234\n',
  'proc/sys/fs/file-nr': '1024\t0\t9223372036854775807\n',
  'proc/pressure/cpu': some('0.10'),
  'proc/pressure/memory': some('0.20'),
  'proc/pressure/io': some('0.30'),
}
const v2 = {
  ...proc,
  'sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
  'sys/fs/cgroup/memory.current': '4096\n',
  'sys/fs/cgroup/memory.peak': '8192\n',
  'sys/fs/cgroup/memory.max': '65536\n',
  'sys/fs/cgroup/memory.events': 'low 0\nhigh 0\nmax 4\noom 2\noom_kill 1\noom_group_kill 0\n',
  'sys/fs/cgroup/cpu.stat': 'usage_usec 1000000\nuser_usec 1\n',
  'sys/fs/cgroup/pids.current': '12\n',
  'sys/fs/cgroup/cpu.pressure': some('11.00'),
  'sys/fs/cgroup/memory.pressure': some('22.00'),
  'sys/fs/cgroup/io.pressure': some('33.00'),
}
const v1 = {
  ...proc,
  'sys/fs/cgroup/memory/memory.usage_in_bytes': '4096\n',
  'sys/fs/cgroup/memory/memory.max_usage_in_bytes': '8192\n',
  'sys/fs/cgroup/memory/memory.limit_in_bytes': '65536\n',
  'sys/fs/cgroup/memory/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
  'sys/fs/cgroup/cpuacct/cpuacct.usage': '1000000000\n',
  'sys/fs/cgroup/pids/pids.current': '12\n',
}

async function bench(shellName: ShellName, files: Record<string, string>) {
  const folder = untilTestEnds(await temporaryFolder('holdfast-vitals-')).path
  const shell = openShell(shellName, folder)
  const put = (more: Record<string, string>) => {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
  }
  put(files)
  const start = (env: Record<string, string> = {}): ChildProcess => {
    const [program = '', ...first] = shell.command
    const given = { HOLDFAST_VITALS_ROOT: folder, HOLDFAST_VITALS_INTERVAL_S: '1', ...env }
    const child = spawn(program, [...first, script], { cwd: folder, env: { PATH: shell.path, ...given } })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  /** Runs it for so many lines; between the first and the second something may change. */
  const run = async (lines: number, env: Record<string, string> = {}, meanwhile = () => {}) => {
    const child = start({ HOLDFAST_VITALS_LINES: String(lines), ...env })
    let [out, err] = ['', '']
    child.stdout?.on('data', (piece: Buffer) => {
      if (out === '') meanwhile()
      out += piece.toString()
    })
    child.stderr?.on('data', (piece: Buffer) => {
      err += piece.toString()
    })
    const [code] = await once(child, 'close')
    return { code, out, err, values: vitalsOf(out).map(({ values }) => values) }
  }
  return { folder, put, start, run }
}

const common = {
  mem_current: 4096,
  mem_peak: 8192,
  mem_max: 65_536,
  oom_kill: 1,
  load1: 1.5,
  fds: 1024,
  pids: 12,
}

underEachShell('vitals.sh under', (shell) => {
  it('prints every key in version 2, in the form that the classification reads', async () => {
    const { run, put } = await bench(shell, v2)
    const { code, out, err, values } = await run(2, {}, () =>
      put({ 'sys/fs/cgroup/cpu.stat': 'usage_usec 2500000\n', 'proc/uptime': '102.00 1.00\n' }),
    )
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ RUNNER_VITALS( [a-z_0-9]+=[\d.]+)+\n){2}$/)
    const disk = { disk_free: expect.any(Number), inodes_free: expect.any(Number) }
    const pressures = { psi_cpu: 11, psi_mem: 22, psi_io: 33 }
    expect(values[1]).toEqual({ ...common, ...disk, ...pressures, oom: 2, cpu_busy: 75 })
    expect(Object.keys(values[1] ?? {}).toSorted()).toEqual(vitalKeys.toSorted())
    expect(values[1]?.disk_free).toBeGreaterThan(1_000_000)
  })

  it('prints what version 1 has, with the pressure of the machine', async () => {
    const { run, put } = await bench(shell, v1)
    const { values } = await run(2, {}, () =>
      put({ 'sys/fs/cgroup/cpuacct/cpuacct.usage': '1500000000\n', 'proc/uptime': '101.00 1.00\n' }),
    )
    const pressures = { psi_cpu: 0.1, psi_mem: 0.2, psi_io: 0.3 }
    expect(values[1]).toMatchObject({ ...common, ...pressures, cpu_busy: 50 })
    expect(values[1]).not.toHaveProperty('oom')
  })

  it('reads its own group where the container sees the whole tree', async () => {
    const own = {
      'proc/self/cgroup': '4:memory:/kubepods/pod1/c1\n3:cpu,cpuacct:/elsewhere\n0::/\n',
      'sys/fs/cgroup/memory/kubepods/pod1/c1/memory.usage_in_bytes': '77\n',
    }
    const { run } = await bench(shell, { ...v1, ...own })
    expect((await run(1)).values[0]).toMatchObject({ mem_current: 77, pids: 12 })
  })

  it('leaves out what is not limited, in both versions', async () => {
    const second = await bench(shell, { ...v2, 'sys/fs/cgroup/memory.max': 'max\n' })
    expect((await second.run(1)).values[0]).not.toHaveProperty('mem_max')
    const largest = { 'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n' }
    const first = await bench(shell, { ...v1, ...largest })
    expect((await first.run(1)).values[0]).not.toHaveProperty('mem_max')
  })

  it('goes on without a word on stderr where nothing can be read, and where files say odd things', async () => {
    const bare = await bench(shell, {})
    expect(await bare.run(2)).toMatchObject({ code: 0, err: '', values: [{}, {}] })
    const odd = { 'sys/fs/cgroup/memory.current': '$(id) `id`\n', 'sys/fs/cgroup/pids.current': '' }
    const { err, values } = await (await bench(shell, { ...v2, ...odd })).run(1)
    expect(err).toBe('')
    expect(values[0]).not.toHaveProperty('mem_current')
    expect(values[0]).not.toHaveProperty('pids')
    expect(values[0]).toMatchObject({ mem_peak: 8192 })
  })

  it('goes on where files disappear while it runs', async () => {
    const { run, folder } = await bench(shell, v2)
    const { code, err, values } = await run(2, {}, () =>
      rmSync(path.join(folder, 'sys'), { recursive: true }),
    )
    expect([code, err]).toEqual([0, ''])
    expect(values[0]).toHaveProperty('mem_current')
    expect(values[1]).not.toHaveProperty('mem_current')
    expect(values[1]).toMatchObject({ load1: 1.5 })
  })

  it('ends at once on SIGTERM, and with its reader', async () => {
    const { start } = await bench(shell, v2)
    const stopped = start({ HOLDFAST_VITALS_INTERVAL_S: '600' })
    await once(stopped.stdout as NodeJS.ReadableStream, 'data')
    stopped.kill('SIGTERM')
    expect(await once(stopped, 'exit')).toEqual([0, null])
    const unread = start()
    unread.stdout?.destroy()
    const [code, signal] = await once(unread, 'exit')
    expect(code === 0 || signal === 'SIGPIPE').toBe(true)
  })

  it.each(['0', 'x', '-1', '99999999999999999999', '3 4'])(
    'refuses an interval of "%s"',
    async (interval) => {
      const { run } = await bench(shell, v2)
      const { code, out, err } = await run(1, { HOLDFAST_VITALS_INTERVAL_S: interval })
      expect([code, out]).toEqual([78, ''])
      expect(err).toContain('HOLDFAST_VITALS_INTERVAL_S: expected 1 to 3600')
    },
  )

  it('shows this machine as it is', async () => {
    const { run } = await bench(shell, {})
    const [values] = (await run(1, { HOLDFAST_VITALS_ROOT: '' })).values
    expect(values?.fds).toBeGreaterThan(10)
    expect(values?.load1).toBeGreaterThanOrEqual(0)
  })
})
