import { describe, expect, it } from 'vitest'
import { rememberJobs } from './remembered-jobs.ts'

const scope = { installation: 'contract', repository: 'acme/web' }
const never = new AbortController().signal

function bench(answers: readonly (string | null | Error)[]) {
  let now = 0
  let asked = 0
  const readLog = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? null
    asked += 1
    if (answer instanceof Error) throw answer
    return answer
  }
  const forge = rememberJobs(
    { readLog, readJobDetail: async () => null, readRunJobs: async () => [] },
    { now: () => now },
  )
  return {
    read: (id = 1, signal = never) => forge.readLog(scope, id, signal),
    asked: () => asked,
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('answers about jobs that are over', () => {
  it('are asked for once in ten minutes', async () => {
    const { read, asked, pass } = bench(['log'])
    expect([await read(), await read()]).toEqual(['log', 'log'])
    expect(asked()).toBe(1)
    pass(10 * 60_000)
    await read()
    expect(asked()).toBe(2)
  })

  it('are asked for again after a minute where there was none, or the forge failed', async () => {
    const { read, asked, pass } = bench([null, new Error('silence'), 'log'])
    expect(await read()).toBeNull()
    pass(60_000)
    await expect(read()).rejects.toThrow('silence')
    await expect(read()).rejects.toThrow('silence')
    expect(asked()).toBe(2)
    pass(60_000)
    expect(await read()).toBe('log')
  })

  it('are few, and none is kept of a reader who went away', async () => {
    const { read, asked } = bench(['log'])
    for (let id = 1; id <= 17; id += 1) await read(id)
    await read(1)
    expect(asked()).toBe(18)
    await read(50, AbortSignal.abort())
    await read(50)
    expect(asked()).toBe(20)
  })
})
