import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ask,
  hold,
  initialisedData,
  isRunning,
  kill,
  launchHolder,
  start,
} from '../../../test/support/embedded.ts'
import { recordedLog } from '../../../test/support/machine.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary.ts'
import { identityOf } from './process-identity.ts'

let data: Awaited<ReturnType<typeof initialisedData>>
let folder: TemporaryFolder
beforeAll(async () => {
  data = await initialisedData()
})
afterAll(() => data[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

const home = () => path.join(folder.path, 'postgres')
const pidFile = () => path.join(home(), 'data', 'postmaster.pid')
const lockFile = () => path.join(home(), 'holdfast.lock')

async function expectItStarts(more: { seven: number }[] = []): Promise<void> {
  const server = await start(folder.path)
  try {
    expect(await ask(server.url, 'select seven from kept')).toEqual([{ seven: 7 }, ...more])
  } finally {
    await server.stop()
  }
}

describe('a stale postmaster.pid', () => {
  it('does not stop the server when its process is dead', async () => {
    data.copyTo(folder.path)
    const dead = spawn('true')
    await once(dead, 'exit')
    await writeFile(pidFile(), `${dead.pid}\n${home()}/data\n1700000000\n5432\n\n127.0.0.1\n 1 1\nready   \n`)
    await expectItStarts()
  })

  it('does not stop the server when its pid now belongs to another program, which is left alone', async () => {
    data.copyTo(folder.path)
    const { uid, gid } = await stat(path.join(home(), 'data'))
    const other = spawn('sleep', ['60'], { uid, gid })
    try {
      await writeFile(
        pidFile(),
        `${other.pid}\n${home()}/data\n1700000000\n5432\n\n127.0.0.1\n 1 1\nready   \n`,
      )
      await expectItStarts()
      expect(await isRunning(other.pid ?? -1)).toBe(true)
    } finally {
      await kill(other)
    }
  })

  it('does not stop the server when it is empty', async () => {
    data.copyTo(folder.path)
    await writeFile(pidFile(), '')
    await expectItStarts()
  })
})

describe('a Holdfast that was killed', () => {
  it('leaves a server that the next start ends and replaces, with everything that was committed', async () => {
    data.copyTo(folder.path)
    const holder = await hold(folder.path)
    await ask(holder.report.url, 'insert into kept values (8)')
    await holder.kill()
    expect(await isRunning(holder.report.pid)).toBe(true)
    await expectItStarts([{ seven: 8 }])
    expect(await isRunning(holder.report.pid)).toBe(false)
  })

  it('heals when its server was killed with it', async () => {
    data.copyTo(folder.path)
    const holder = await hold(folder.path)
    await ask(holder.report.url, 'insert into kept values (8)')
    await holder.kill()
    process.kill(holder.report.pid, 'SIGKILL')
    await expectItStarts([{ seven: 8 }])
  })

  it('heals when it was killed while the data folder was being made', async () => {
    await mkdir(home())
    const appeared = new Promise<void>((resolve) => {
      const watcher = watch(home(), (_, name) => {
        if (!name?.startsWith('init-')) return
        watcher.close()
        resolve()
      })
    })
    const child = launchHolder(folder.path)
    await appeared
    await kill(child)
    expect((await readdir(home())).some((name) => name.startsWith('init-'))).toBe(true)
    expect(await readdir(home())).not.toContain('data')

    const server = await start(folder.path)
    await server.stop()
    expect((await readdir(home())).filter((name) => name.startsWith('init-'))).toEqual([])
  })
})

describe('the lock on the data folder', () => {
  it('refuses a second Holdfast, names the first, and leaves it alone', async () => {
    data.copyTo(folder.path)
    const holder = await hold(folder.path)
    try {
      await expect(start(folder.path)).rejects.toMatchObject({
        code: 'E_DATA_DIR_BUSY',
        params: { pid: holder.child.pid },
      })
      expect(await ask(holder.report.url, 'select 1 as one')).toEqual([{ one: 1 }])
    } finally {
      await holder.end()
    }
    const next = await start(folder.path)
    await next.stop()
  })

  it('refuses a second one in the same process', async () => {
    data.copyTo(folder.path)
    const first = await start(folder.path)
    await expect(start(folder.path)).rejects.toMatchObject({
      code: 'E_DATA_DIR_BUSY',
      params: { pid: process.pid },
    })
    await first.stop()
  })

  it.each([
    ['an earlier process under the same pid', { startedAt: '1' }],
    ['the same pid before a reboot', { bootId: '00000000-0000-0000-0000-000000000000' }],
  ])('is not held by %s', async (_, difference) => {
    data.copyTo(folder.path)
    const ours = await identityOf(process.pid)
    await writeFile(lockFile(), JSON.stringify({ ...ours, nonce: 'old', ...difference }))
    await expectItStarts()
  })

  it('is not held by a torn record', async () => {
    data.copyTo(folder.path)
    await writeFile(lockFile(), '{"pid": 1')
    await expectItStarts()
  })

  it('lets exactly one of five win that start at once over a stale record', async () => {
    data.copyTo(folder.path)
    const ours = await identityOf(process.pid)
    await writeFile(lockFile(), JSON.stringify({ ...ours, nonce: 'old', startedAt: '1' }))
    const starts = await Promise.allSettled(Array.from({ length: 5 }, () => start(folder.path)))
    const won = starts.filter((result) => result.status === 'fulfilled')
    for (const { value } of won) await value.stop()
    expect(won).toHaveLength(1)
    for (const result of starts) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'E_DATA_DIR_BUSY' })
    }
  })
})

describe('a data folder that is not ours to change', () => {
  it.each(['99', '12'])('is refused when Postgres %s wrote it, and nothing is changed', async (version) => {
    data.copyTo(folder.path)
    const file = path.join(home(), 'data', 'PG_VERSION')
    const before = await readFile(file, 'utf8')
    await writeFile(file, `${version}\n`)
    const listing = await readdir(home(), { recursive: true })
    await expect(start(folder.path)).rejects.toMatchObject({
      code: 'E_DATA_DIR_VERSION',
      params: { found: version, program: Number(before) },
    })
    expect(await readdir(home(), { recursive: true })).toEqual(listing)
    expect(await readFile(file, 'utf8')).toBe(`${version}\n`)
    await writeFile(file, before)
    await expectItStarts()
  })

  it('is refused when it holds something else', async () => {
    await mkdir(path.join(home(), 'data'), { recursive: true })
    await writeFile(path.join(home(), 'data', 'thesis.txt'), 'precious')
    const log = recordedLog()
    await expect(start(folder.path, { log })).rejects.toMatchObject({ code: 'E_DATA_DIR_FOREIGN' })
    expect(await readFile(path.join(home(), 'data', 'thesis.txt'), 'utf8')).toBe('precious')
  })
})
