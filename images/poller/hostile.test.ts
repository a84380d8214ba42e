import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { acknowledged, jit, job, type PollerBench, pollerBench } from './testing/bench.ts'
import { descendants, isAlive } from './testing/processes.ts'
import type { Step } from './testing/server.ts'
import { underEachShell } from './testing/shells.ts'

const { attempt } = job.body
const given = (over: object): Step => ({ status: 200, body: { ...job.body, ...over } })
const raw = (body: string | Buffer): Step => ({ status: 200, body })
const text = JSON.stringify(job.body)

underEachShell('answers that are not Holdfast’s, under', (shell) => {
  it.each<[string, Step]>([
    ['not JSON', raw('not json')],
    ['nothing', raw('')],
    ['a page of a proxy', raw('<html>login</html>')],
    ['a part', raw(text.slice(0, -1))],
    ['more than one', raw(`${text}\n${text}`)],
    ['something behind it', raw(`${text},"x":1}`)],
    ['a field too few', raw(`{"attempt":"${attempt}","jit":"${jit}"}`)],
    ['another order', raw(`{"jit":"${jit}","attempt":"${attempt}","job":{"id":7,"url":"http://h/jobs/7"}}`)],
    ['a configuration that a shell would run', given({ jit: '$(touch pwned)`touch pwned`;touch pwned' })],
    ['a configuration with a quotation mark', given({ jit: 'abc"def' })],
    ['a configuration with a line break', given({ jit: 'abc\ndef' })],
    ['an empty configuration', given({ jit: '' })],
    ['an attempt that is more than a handle', given({ attempt: `${attempt.slice(0, -2)}",` })],
    ['an attempt with a path in it', given({ attempt: '../../../../../../../../../../../etc/pass' })],
    ['a number that is none', given({ job: { id: '7;id', url: 'http://h/jobs/7' } })],
    ['an address that is none', given({ job: { id: 7, url: 'javascript:alert(1)' } })],
    ['an address that is too long', given({ job: { id: 7, url: `http://h/${'x'.repeat(2_000)}` } })],
    ['an address with JSON in it', given({ job: { id: 7, url: 'http://h/","group":"' } })],
    ['bytes', raw(Buffer.from([0, 1, 2, 255, 254, 10, 13, 0]))],
    ['bytes around a good one', raw(Buffer.concat([Buffer.from(text), Buffer.from([0])]))],
    ['one without end', 'endless'],
  ])('of %s is asked for again, and nothing is staged of it', async (_, step) => {
    const { poll, server, folder, jitDir } = await pollerBench(shell)
    const { code } = await poll([step, { status: 410 }])
    expect(code).toBe(10)
    expect(server.requests).toHaveLength(2)
    expect(readdirSync(jitDir)).toEqual(['run'])
    expect(readdirSync(path.join(folder, 'work'))).toEqual([])
  })

  it('do not keep a good one from being taken', async () => {
    const { poll } = await pollerBench(shell)
    expect((await poll([raw('{}'), given({ jit: 'A'.repeat(100_000) }), acknowledged])).code).toBe(0)
  })
})

underEachShell('a stop, under', (shell) => {
  const isStopped = async (bench: PollerBench, steps: readonly Step[], requestCount: number) => {
    bench.server.steps.push(...steps)
    const { child, ended } = bench.start()
    await bench.server.received(requestCount)
    const started = descendants(child.pid ?? 0).map(({ pid }) => pid)
    expect(started.length).toBeGreaterThan(1)
    const before = Date.now()
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
    expect(Date.now() - before).toBeLessThan(15_000)
    expect(readdirSync(bench.jitDir).filter((name) => !['run', 'setup_info'].includes(name))).toEqual([])
    await expect.poll(() => started.filter(isAlive)).toEqual([])
  }

  it('ends it at once while it waits for a job', async () => {
    await isStopped(await pollerBench(shell), ['silent'], 1)
  })

  it('ends it at once in a pause', async () => {
    const step = { status: 429, headers: { 'retry-after': '60' } }
    const bench = await pollerBench(shell)
    bench.server.steps.push(step)
    const { child, ended } = bench.start()
    await new Promise((resolve) => child.stderr?.once('data', resolve)) // it has said that it pauses
    child.kill('SIGTERM')
    expect((await ended).code).toBe(143)
  })

  it('stages nothing between the job and its acknowledgement', async () => {
    await isStopped(await pollerBench(shell), [job, 'silent'], 2)
  })

  it('stages nothing while a lost acknowledgement is repeated', async () => {
    await isStopped(await pollerBench(shell), [job, 'lost', 'silent'], 3)
  })

  it('by SIGINT is 130', async () => {
    const { start, server } = await pollerBench(shell)
    server.steps.push('silent')
    const { child, ended } = start()
    await server.received(1)
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  })

  it('ends it with all or nothing, whenever the signal comes', async () => {
    for (let afterMs = 0; afterMs < 120; afterMs += 12) {
      const { start, server, jitDir } = await pollerBench(shell)
      server.steps.push(job, acknowledged)
      const { child, ended } = start()
      setTimeout(() => child.kill('SIGTERM'), afterMs)
      const { code } = await ended
      expect(existsSync(path.join(jitDir, 'jitconfig')), `after ${afterMs} ms: ${code}`).toBe(code === 0)
    }
  })
})

// busybox moves files by itself, so that nobody can stand between.
describe('a stop, under dash,', () => {
  it('takes back the configuration that was staged when the signal came', async () => {
    const { start, server, jitDir, folder, shell: opened } = await pollerBench('dash')
    server.steps.push(job, acknowledged)
    const own = path.join(folder, 'own')
    mkdirSync(own)
    const script = `#!/bin/sh\nPATH=${opened.path}; mv "$@"; case $* in *jitconfig) kill -TERM $PPID; sleep 0.1 ;; esac\n`
    writeFileSync(path.join(own, 'mv'), script, { mode: 0o755 })
    expect((await start({ PATH: `${own}:${opened.path}` }).ended).code).toBe(143)
    expect(server.requests).toHaveLength(2)
    expect(readdirSync(jitDir).sort()).toEqual(['run', 'setup_info'])
  })
})

underEachShell('settings, under', (shell) => {
  it.each([
    ['HOLDFAST_URL', 'ftp://x'],
    ['HOLDFAST_URL', 'http://x/"\nheader = "X: y'],
    ['HOLDFAST_RUNNER', ''],
    ['HOLDFAST_RUNNER', 'a","b":"c'],
    ['HOLDFAST_POLL_MS', 'soon'],
    ['HOLDFAST_POLL_MS', '9999999'],
    ['HOLDFAST_TOKEN_FILE', '/nowhere/token'],
    ['HOLDFAST_JIT_DIR', '/nowhere/jit'],
  ])('%s that is %j is refused, and no request is sent', async (name, value) => {
    const { poll, server } = await pollerBench(shell)
    const { code, output } = await poll([], { [name]: value })
    expect(code).toBe(78)
    expect(output).toMatch(new RegExp(`^holdfast poller: ${name}: expected .*\n$`))
    expect(server.requests).toEqual([])
  })

  it('without curl it says what is missing', async () => {
    const { poll, folder } = await pollerBench(shell)
    const empty = path.join(folder, 'jit')
    const { code, output } = await poll([], { PATH: empty })
    expect(output).toContain('curl is not here')
    expect(code).toBe(78)
  })

  it('of a wrong command line are refused', async () => {
    const { poll } = await pollerBench(shell)
    for (const args of [['--than', 'x'], ['--then']]) {
      const { code, output } = await poll([], {}, args)
      expect(code).toBe(78)
      expect(output).toContain('expected')
    }
  })
})
