import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask, initialisedData, isRunning, start } from '../../../test/support/embedded.ts'
import { recordedLog } from '../../../test/support/machine.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary.ts'

let data: Awaited<ReturnType<typeof initialisedData>>
let folder: TemporaryFolder
beforeAll(async () => {
  data = await initialisedData()
})
afterAll(() => data[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = await temporaryFolder()
  data.copyTo(folder.path)
})
afterEach(() => folder[Symbol.asyncDispose]())

const inHome = (name: string) => path.join(folder.path, 'postgres', name)
const listen = (port: number) => {
  const server = createServer()
  return new Promise<() => Promise<void>>((resolve) => {
    server.listen(port, '127.0.0.1', () =>
      resolve(() => new Promise<void>((closed) => void server.close(() => closed()))),
    )
  })
}

describe('the embedded server', () => {
  it('keeps its data, its password and its port over a restart', async () => {
    const first = await start(folder.path)
    await ask(first.url, 'insert into kept values (8)')
    await first.stop()
    expect(await isRunning(first.pid)).toBe(false)

    const second = await start(folder.path)
    expect(await ask(second.url, 'select seven from kept')).toEqual([{ seven: 7 }, { seven: 8 }])
    expect(second.url).toBe(first.url)
    await second.stop()
  })

  it('gives the program a role that owns nothing, also in a folder of an earlier version', async () => {
    const earlier = await start(folder.path)
    await ask(earlier.url, 'drop role holdfast_program')
    await earlier.stop()

    const server = await start(folder.path)
    try {
      const [role] = await ask(
        server.programUrl,
        'select rolname, rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user',
      )
      expect(role).toEqual({
        rolname: 'holdfast_program',
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
      })
      for (const act of [
        'create table mine (id int)',
        'drop table kept',
        'select from kept',
        'set role holdfast',
      ]) {
        await expect(ask(server.programUrl, act)).rejects.toMatchObject({ code: '42501' })
      }
    } finally {
      await server.stop()
    }
  })

  it('listens on the loopback address only, asks for the password, and keeps it in a file for its owner', async () => {
    const server = await start(folder.path)
    try {
      const [row] = await ask(
        server.url,
        `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets`,
      )
      expect(row).toEqual({ addresses: '127.0.0.1', sockets: '' })
      const wrong = new URL(server.url)
      wrong.password = 'guess'
      await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
      expect((await stat(inHome('password'))).mode & 0o777).toBe(0o600)
    } finally {
      await server.stop()
    }
  })

  it('is durable by default', async () => {
    const { ledgerSettings } = await import('./settings.ts')
    expect(ledgerSettings).toMatchObject({ fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' })
  })

  it('takes another port when its last one is in use', async () => {
    const first = await start(folder.path)
    await first.stop()
    const release = await listen(first.port)
    const second = await start(folder.path)
    try {
      expect(second.port).not.toBe(first.port)
      expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
    } finally {
      await second.stop()
      await release()
    }
  })

  it('starts again by itself after kill -9, on the same port, with everything that was committed', async () => {
    const log = recordedLog()
    const server = await start(folder.path, { log })
    try {
      await ask(server.url, 'insert into kept values (8)')
      const killed = server.pid
      const exit = new Promise((resolve) => server.onExit(resolve))
      process.kill(killed, 'SIGKILL')
      expect(await exit).toMatchObject({ signal: 'SIGKILL' })
      await log.line(/serves again/)
      expect(server.pid).not.toBe(killed)
      expect(await ask(server.url, 'select seven from kept')).toEqual([{ seven: 7 }, { seven: 8 }])
    } finally {
      await server.stop()
    }
  })

  it('keeps trying, and says so, while its port is in use by another after a crash', async () => {
    const log = recordedLog()
    const server = await start(folder.path, { log })
    try {
      const gone = new Promise((resolve) => server.onExit(resolve))
      process.kill(server.pid, 'SIGKILL')
      await gone
      const release = await listen(server.port)
      await log.line(/does not start/)
      await release()
      await log.line(/serves again/)
      expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    } finally {
      await server.stop()
    }
  })

  it('stops while it waits to start again, and leaves neither process nor lock', async () => {
    const log = recordedLog()
    const server = await start(folder.path, { log })
    const gone = new Promise((resolve) => server.onExit(resolve))
    process.kill(server.pid, 'SIGKILL')
    await gone
    await server.stop()
    expect(await readdir(path.join(folder.path, 'postgres'))).not.toContain('holdfast.lock')
    expect(await isRunning(server.pid)).toBe(false)
  })

  it('gets a new password when its file was lost, and keeps the data', async () => {
    const first = await start(folder.path)
    await ask(first.url, 'insert into kept values (8)')
    await first.stop()
    await rm(inHome('password'))
    const second = await start(folder.path)
    try {
      expect(second.url).not.toBe(first.url)
      expect(await ask(second.url, 'select seven from kept')).toEqual([{ seven: 7 }, { seven: 8 }])
    } finally {
      await second.stop()
    }
  })

  it('names the remedy when the password file is of another server', async () => {
    const first = await start(folder.path)
    await first.stop()
    await writeFile(inHome('password'), 'another')
    await expect(start(folder.path)).rejects.toThrow(/remove the file to set a new one/)
    expect(await isRunning(first.pid)).toBe(false)
  })

  it('writes its log to a file and rotates it when it is full', async () => {
    await (await start(folder.path)).stop()
    const file = inHome('log/server.log')
    expect(await readFile(file, 'utf8')).toMatch(/ready to accept connections/)
    await writeFile(file, Buffer.alloc(6 * 1024 * 1024, 'x'))
    await (await start(folder.path)).stop()
    expect((await stat(file)).size).toBeLessThan(100_000)
    expect((await stat(`${file}.1`)).size).toBe(6 * 1024 * 1024)
  })
})
