import { describe, expect, it } from 'vitest'
import { status } from '../testing/api-server.ts'
import { bench } from '../testing/bench.ts'

const never = new AbortController().signal
const stamp = '2026-11-16T03:00:00.123456789Z '
const order = {
  namespace: 'ci',
  pod: 'linux-1',
  container: 'runner',
  linesMax: 10,
  bytesMax: 100,
  deadlineMs: 200_000,
}

/** As a kubelet gives it: a time before each line. */
async function logOf(pieces: readonly (string | Uint8Array)[], over: Partial<typeof order> = {}) {
  return answered([Buffer.concat(pieces.map((each) => Buffer.from(each)))].map(stamped), over, pieces)
}

function stamped(bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split('\n')
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length
  return Buffer.from(
    lines.map((line, place) => (place < last ? `${stamp}${line}` : line)).join('\n'),
    'latin1',
  )
}

async function answered(
  pieces: readonly (string | Uint8Array)[],
  over: Partial<typeof order> = {},
  given: readonly (string | Uint8Array)[] = pieces,
) {
  const { api, cluster } = await bench()
  api.faults.push(({ path }, response) => {
    if (!path.endsWith('/log')) return true
    for (const piece of pieces) response.write(piece)
    if (given.at(-1) !== 'and so on') response.end()
    return undefined
  })
  const tail = cluster.logs.tail({ ...order, ...over }, never)
  return { api, tail }
}

describe('the tail of a container’s log', () => {
  it('is all of a short one, asked for with bounds', async () => {
    const { api, tail } = await logOf(['one\n', 'two\n'])
    expect(await tail).toEqual({ text: 'one\ntwo\n', isCut: false, isCutShort: false, message: null })
    expect(api.requests[0]?.path).toBe('/api/v1/namespaces/ci/pods/linux-1/log')
    const asked = Object.fromEntries(api.requests[0]?.query ?? [])
    const limitBytes = String(11 * (16 * 1_024 + 36) + 1)
    expect(asked).toEqual({ container: 'runner', tailLines: '11', limitBytes, timestamps: 'true' })
  })

  it('is the newest whole lines of a long one', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`)
    const { text, isCut } = await (await logOf(lines)).tail
    expect(isCut).toBe(true)
    expect(text.length).toBeLessThanOrEqual(100)
    expect(text).toMatch(/^line 4[89]\d\n/)
    expect(text).toMatch(/line 498\nline 499\n$/)
  })

  it('says where there was more than is ever read', async () => {
    const { tail } = await logOf(['x'.repeat(11 * (16 * 1_024 + 36) + 1)])
    expect(await tail).toMatchObject({ isCutShort: true })
  })

  it('is as many lines as are wanted, without the one that the kubelet may have begun within', async () => {
    const lines = Array.from({ length: 11 }, (_, index) => `${index}\n`)
    expect((await (await logOf(lines)).tail).text).toBe(lines.slice(1).join(''))
  })

  it('is the newest bytes of one endless line, and marks where it cut a word', async () => {
    // As much as the kubelet gives of it: so many pieces of the largest size.
    const { text, isCutShort } = await (await logOf(Array(11).fill('x'.repeat(16 * 1_024)))).tail
    expect(isCutShort).toBe(false)
    expect(text).toMatch(/^…x{97}$/)
  })

  it('masks a secret that began before the tail, and leaves out half of one', async () => {
    const secret = `password=${'k'.repeat(300)}`
    expect((await (await logOf([`${secret} end\n`])).tail).text).toBe('password=[redacted] end\n')
    const long = await logOf([`${'k'.repeat(20_000)} ${'-'.repeat(60)}\n`], { bytesMax: 70 })
    expect((await long.tail).text).toBe(`${'-'.repeat(60)}\n`)
  })

  it('is text, bounded, of bytes that are none', async () => {
    const noise = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 256))
    const { text } = await (await logOf([noise])).tail
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100)
    expect(text).not.toContain('\0')
  })

  it('throws where the kubelet says in its place that the container is removed', async () => {
    const message = 'unable to retrieve container logs for containerd://8fe3ab12'
    await expect((await answered([message])).tail).rejects.toThrow('removed')
    // A container may write the same words itself.
    expect((await (await logOf([`${message}\nmore\n`])).tail).text).toContain(message)
  })

  it('is not a message of the kubelet in place of a log: lines of a container always have their time', async () => {
    const message =
      'failed to try resolving symlinks in path "/var/log/pods/ci_linux-1": no such file or directory'
    await expect((await answered([message])).tail).rejects.toThrow(
      `the kubelet says in its place: ${message}`,
    )
    expect(await (await answered([`${stamp}one\n${message}`])).tail).toEqual({
      text: 'one\n',
      isCut: false,
      isCutShort: false,
      message,
    })
  })

  it('ends at its deadline, also in the middle', async () => {
    const { tail } = await logOf(['one\n', 'and so on'], { deadlineMs: 4_000 })
    await expect(tail).rejects.toThrow(/within 4000 ms/)
  })

  it('throws the error message of the API server', async () => {
    const { api, cluster } = await bench()
    api.failNext(
      9,
      (_, response) => void status(response, 400, 'BadRequest', 'container is waiting to start'),
    )
    await expect(cluster.logs.tail(order, never)).rejects.toThrow(/waiting to start/)
  })
})
