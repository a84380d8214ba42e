import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import type { HostSamples } from '../../domain/death/index.ts'
import { createKernelFiles, createRingPush, openKernelLog, openRingFiles } from './index.ts'

const never = new AbortController().signal
const folderOf = async () => untilTestEnds(await temporaryFolder('holdfast-host-agent-')).path

describe('the kernel’s files', () => {
  it('are read again each time, and are unreadable once closed', async () => {
    const files = createKernelFiles()
    const at = path.join(await folderOf(), 'value')
    writeFileSync(at, '1\n')
    const file = files.open(at)
    expect(file?.read()).toBe('1\n')
    writeFileSync(at, '22\n')
    expect([file?.read(), file?.read()]).toEqual(['22\n', '22\n'])
    file?.close()
    file?.close()
    expect(file?.read()).toBeNull()
  })

  it('are listed as folders, counted, and null where there are none', async () => {
    const files = createKernelFiles()
    const folder = await folderOf()
    for (const name of ['a', 'b']) mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, 'file'), '')
    expect(files.folders(folder)?.toSorted()).toEqual(['a', 'b'])
    expect(files.folderCount(folder)).toBe(2)
    expect(files.space(folder)).toEqual({ freeBytes: expect.any(Number), freeInodes: expect.any(Number) })
    const nowhere = path.join(folder, 'nowhere')
    expect([files.folders(nowhere), files.folderCount(nowhere), files.open(nowhere)]).toEqual([
      null,
      null,
      null,
    ])
    expect(files.space(nowhere)).toBeNull()
  })
})

describe('the kernel’s log', () => {
  it('returns each complete record of a file once, and no more than the limit', async () => {
    const at = path.join(await folderOf(), 'kmsg')
    writeFileSync(at, '6,1,1,-;one\n6,2,2,-;tw')
    const log = openKernelLog(at)
    expect(log.next(10)).toEqual(['6,1,1,-;one'])
    appendFileSync(at, 'o\n')
    expect(log.next(10)).toEqual(['6,2,2,-;two'])
    expect(log.next(10)).toEqual([])
    expect(log.missing).toBeNull()
    log.close()
  })

  it('reports why it cannot be read', async () => {
    const log = openKernelLog(path.join(await folderOf(), 'nothing'))
    expect(log.missing).toContain('lines of the kernel: ENOENT')
    expect(log.next(10)).toEqual([])
  })
})

describe('the files of rings', () => {
  it('are found by the next agent', async () => {
    const folder = path.join(await folderOf(), 'rings')
    const first = openRingFiles(folder)
    first.append('uid-1', 'a\n')
    first.append('uid-1', 'b\n')
    first.replace('uid-2', 'c\n')
    first.append('uid-2', 'd\n')
    const found = openRingFiles(folder).load()
    const lines = found.map(({ podUid, text }) => [podUid, text.split('\n').filter(Boolean)])
    expect(Object.fromEntries(lines)).toEqual({ 'uid-1': ['a', 'b'], 'uid-2': ['c', 'd'] })
    first.remove('uid-1')
    expect(readdirSync(folder)).toEqual(['uid-2.ring'])
  })

  it('do not append a line to one that a crash truncated', async () => {
    const folder = await folderOf()
    writeFileSync(path.join(folder, 'uid-1.ring'), 'a\nhal')
    openRingFiles(folder).append('uid-1', 'b\n')
    expect(readFileSync(path.join(folder, 'uid-1.ring'), 'utf8')).toBe('a\nhal\nb\n')
  })

  it('stay in their folder, whatever the name of a group', async () => {
    const folder = path.join(await folderOf(), 'rings')
    const rings = openRingFiles(folder)
    for (const name of ['../out', '.hidden', 'a/b', '', 'x'.repeat(200)]) {
      rings.append(name, 'a\n')
      rings.replace(name, 'a\n')
      rings.remove(name)
    }
    expect(readdirSync(folder)).toEqual([])
    expect(existsSync(path.join(folder, '../out.ring'))).toBe(false)
  })

  it('leave out files that are too large, half written or not theirs', async () => {
    const folder = await folderOf()
    writeFileSync(path.join(folder, 'large.ring'), 'x'.repeat(600_000))
    writeFileSync(path.join(folder, 'uid-1.ring.draft'), 'a\n')
    writeFileSync(path.join(folder, 'other'), 'a\n')
    expect(openRingFiles(folder).load()).toEqual([])
    expect(readdirSync(folder).toSorted()).toEqual(['large.ring', 'other'])
  })

  it('report why rings do not outlive the agent, and go on', async () => {
    const folder = await folderOf()
    writeFileSync(path.join(folder, 'file'), '')
    const rings = openRingFiles(path.join(folder, 'file', 'rings'))
    rings.append('uid-1', 'a\n')
    expect(rings.missing).toContain('rings that outlive the agent: ENOTDIR')
    expect(rings.load()).toEqual([])
  })

  it('are complete again after the folder was removed and came back', async () => {
    const folder = path.join(await folderOf(), 'rings')
    const rings = openRingFiles(folder)
    rmSync(folder, { recursive: true })
    rings.append('uid-1', 'a\n')
    expect(rings.missing).toContain('ENOENT')
    mkdirSync(folder)
    rings.append('uid-1', 'b\n')
    expect(rings.missing).toBeNull()
  })
})

describe('pushing host samples', () => {
  const ring: HostSamples = {
    podUid: 'uid-1',
    node: 'node-1',
    samples: [],
    oomLines: [],
    endedAt: 5,
    lastSampleAgeMs: null,
    missing: [],
  }

  async function server(status: number, body = '{}', headers: Record<string, string> = {}) {
    const received: { path: string | undefined; headers: IncomingHttpHeaders; body: unknown }[] = []
    const http = createServer(async (request, response) => {
      received.push({ path: request.url, headers: request.headers, body: await json(request) })
      response.writeHead(status, headers).end(body)
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close())
    const tokenFile = path.join(await folderOf(), 'token')
    writeFileSync(tokenFile, 'secret-token\n')
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/base`
    return { received, tokenFile, push: createRingPush({ url, tokenFile }), http }
  }

  it('sends the token that the file holds at that time', async () => {
    const { push, received, tokenFile } = await server(202)
    expect(await push.push(ring, never)).toEqual({ kind: 'taken' })
    writeFileSync(tokenFile, 'renewed')
    await push.push(ring, never)
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret-token',
      'Bearer renewed',
    ])
    expect(received[0]).toMatchObject({ path: '/base/v1/agent/rings', body: ring })
  })

  it.each([400, 409, 413])('is final where the server refuses the ring itself with %i', async (status) => {
    const { push } = await server(status, '{"error":{"message":"not this one"}}')
    const why = `the server answered ${status}: not this one`
    expect(await push.push(ring, never)).toEqual({ kind: 'refused', why })
  })

  it.each([401, 404, 500, 503])('is retryable where the server answers %i', async (status) => {
    const { push } = await server(status, 'x'.repeat(10_000), { 'retry-after': '7' })
    const pushed = await push.push(ring, never)
    expect(pushed).toMatchObject({ kind: 'failed', retryAfterMs: 7_000 })
    expect(JSON.stringify(pushed).length).toBeLessThan(400)
    expect(JSON.stringify(pushed)).not.toContain('secret-token')
  })

  it('is retryable where no server listens, and where there is no token', async () => {
    const { push, http, tokenFile } = await server(202)
    writeFileSync(tokenFile, 'two words')
    expect(await push.push(ring, never)).toMatchObject({
      kind: 'failed',
      why: `no token could be read from ${tokenFile}`,
    })
    writeFileSync(tokenFile, 'token')
    await new Promise((resolve) => http.close(resolve))
    expect(await push.push(ring, never)).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('keeps its connection, and opens another where the server closes the idle one just then', async () => {
    const { push, http } = await server(202)
    let connections = 0
    http.on('connection', () => {
      connections += 1
    })
    for (const _ of [1, 2, 3]) expect(await push.push(ring, never)).toEqual({ kind: 'taken' })
    expect(connections).toBe(1)
    http.prependOnceListener('request', ({ socket }) => socket.destroy())
    expect(await push.push(ring, never)).toEqual({ kind: 'taken' })
    expect(connections).toBe(2)
  })

  it('fails where the server closes a new connection without an answer', async () => {
    const { push, http } = await server(202)
    http.prependListener('request', ({ socket }) => socket.destroy())
    expect(await push.push(ring, never)).toMatchObject({ kind: 'failed' })
  })

  it('ends with its signal', async () => {
    const { push } = await server(202)
    await expect(push.push(ring, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping')
  })
})
