import { describe, expect, it } from 'vitest'
import { status } from './testing/api-server.ts'
import { bench } from './testing/bench.ts'

const never = new AbortController().signal
const order = {
  ...{
    namespace: 'ci',
    pod: 'linux-1',
    container: 'runner',
    linesMax: 10,
    bytesMax: 100,
    deadlineMs: 200_000,
  },
}

async function logOf(pieces: readonly string[], over: Partial<typeof order> = {}) {
  const { api, cluster } = await bench()
  api.faults.push(({ path }, response) => {
    if (!path.endsWith('/log')) return true
    for (const piece of pieces) response.write(piece)
    if (pieces.at(-1) !== 'and so on') response.end()
    return undefined
  })
  const tail = cluster.logs.tail({ ...order, ...over }, never)
  return { api, tail }
}

describe('the tail of a container’s log', () => {
  it('is all of a short one, asked for with bounds', async () => {
    const { api, tail } = await logOf(['one\n', 'two\n'])
    expect(await tail).toEqual({ text: 'one\ntwo\n', isCutShort: false })
    expect(api.requests[0]?.path).toBe('/api/v1/namespaces/ci/pods/linux-1/log')
    const asked = Object.fromEntries(api.requests[0]?.query ?? [])
    expect(asked).toEqual({ container: 'runner', tailLines: '10', limitBytes: String(10 * 16 * 1_024) })
  })

  it('is the newest whole lines of a long one', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`)
    const { text } = await (await logOf(lines)).tail
    expect(text.length).toBeLessThanOrEqual(100)
    expect(text).toMatch(/^line 4[89]\d\n/)
    expect(text).toMatch(/line 498\nline 499\n$/)
  })

  it('says where there was more than is ever read', async () => {
    const { tail } = await logOf(['x'.repeat(10 * 16 * 1_024)])
    expect(await tail).toMatchObject({ isCutShort: true })
  })

  it('ends at its deadline, also in the middle', async () => {
    const { tail } = await logOf(['one\n', 'and so on'], { deadlineMs: 4_000 })
    await expect(tail).rejects.toThrow(/within 4000 ms/)
  })

  it('throws what the cluster says', async () => {
    const { api, cluster } = await bench()
    api.failNext(
      9,
      (_, response) => void status(response, 400, 'BadRequest', 'container is waiting to start'),
    )
    await expect(cluster.logs.tail(order, never)).rejects.toThrow(/waiting to start/)
  })
})
