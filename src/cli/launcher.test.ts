import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const launcher = path.join(import.meta.dirname, '../../bin/holdfast')
let root: string

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'launcher-'))
  await mkdir(path.join(root, 'app/bin'), { recursive: true })
  await copyFile(launcher, path.join(root, 'app/bin/holdfast'))
})
afterEach(() => rm(root, { recursive: true }))

/** A node that says its version and what it was asked to run. */
async function addNode(folder: string, version: string): Promise<void> {
  const file = path.join(root, folder, 'node')
  await mkdir(path.dirname(file), { recursive: true })
  const script = `#!/bin/sh\nif [ "$1" = -p ]; then echo ${version}; else echo "${version}: $*"; exit 7; fi\n`
  await writeFile(file, script)
  await chmod(file, 0o755)
}

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

function launch(file: string, ...args: string[]): Promise<Ended> {
  // Only what the launcher itself needs is in the PATH, so that the machine's own node is not found.
  const env = { PATH: `${path.join(root, 'path')}:${path.join(root, 'tools')}` }
  return new Promise((resolve) => {
    execFile('/bin/sh', [path.join(root, file), ...args], { env }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err })
    })
  })
}

async function addTools(): Promise<void> {
  await mkdir(path.join(root, 'tools'))
  for (const tool of ['dirname', 'readlink'])
    await symlink(`/usr/bin/${tool}`, path.join(root, 'tools', tool))
}

describe('bin/holdfast', () => {
  beforeEach(addTools)

  it('prefers the node that came with the installation, and passes arguments and exit code on', async () => {
    await addNode('app/node_modules/.bin', '24')
    await addNode('path', '30')
    expect(await launch('app/bin/holdfast', 'job', 'a b')).toEqual({
      code: 7,
      out: `24: ${root}/app/src/main/cli.ts job a b\n`,
      err: '',
    })
  })

  it('takes the node of the PATH where none came with it', async () => {
    await addNode('path', '26')
    expect((await launch('app/bin/holdfast', 'jobs')).out).toBe(`26: ${root}/app/src/main/cli.ts jobs\n`)
  })

  it('starts `up` with the flags that keep its memory small', async () => {
    await addNode('path', '24')
    expect((await launch('app/bin/holdfast', 'up')).out).toMatch(/^24: (--\S+ )+\S+\/cli\.ts up\n$/)
  })

  it('passes over a node that is too old', async () => {
    await addNode('app/node_modules/.bin', '20')
    await addNode('path', '24')
    expect((await launch('app/bin/holdfast')).out).toMatch(/^24: /)
  })

  it('says what is needed and what was found where every node is too old', async () => {
    await addNode('path', '20')
    const { code, err } = await launch('app/bin/holdfast')
    expect(code).toBe(3)
    expect(err).toBe(
      `holdfast: Node 24 or later is needed; found only: ${root}/path/node (Node 20).
  hint Run npm ci in ${root}/app, which brings its own Node, or put a newer node into the PATH.
`,
    )
  })

  it('says so where there is no node at all', async () => {
    const { code, err } = await launch('app/bin/holdfast')
    expect([code, err]).toEqual([3, expect.stringContaining('no node was found')])
  })

  it('works through symbolic links, also relative ones', async () => {
    await addNode('path', '24')
    await mkdir(path.join(root, 'links'))
    await symlink('../app/bin/holdfast', path.join(root, 'links/one'))
    await symlink(path.join(root, 'links/one'), path.join(root, 'links/two'))
    expect((await launch('links/two', 'jobs')).out).toBe(`24: ${root}/app/src/main/cli.ts jobs\n`)
  })
})
