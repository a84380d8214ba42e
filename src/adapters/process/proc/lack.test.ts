import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

/** Enough for Node itself, and few enough to be used up at once. */
const FILES_MAX = 64

/** Runs in a process of its own that uses up its file descriptors; gives what it prints. */
async function withoutFiles(before: string, lacking: string): Promise<unknown> {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    const proc = await import('${new URL('./index.ts', import.meta.url)}')
    const { createWatch } = await import('${new URL('../watch.ts', import.meta.url)}')
    ${before}
    const files = []
    try { for (;;) files.push(openSync('/dev/null')) } catch {}
    const said = await (async () => { ${lacking} })().catch((error) => error.code)
    for (const file of files) closeSync(file)
    process.stdout.write(JSON.stringify(said), () => process.exit())`
  const shell = `ulimit -n ${FILES_MAX}; exec "$0" --input-type=module -e "$1"`
  const { stdout } = await promisify(execFile)('sh', ['-c', shell, process.execPath, script])
  return JSON.parse(stdout)
}

describe('who has no file descriptor left', () => {
  it('does not take a process that lives for dead', async () => {
    const own = 'const own = proc.identityOf(process.pid)'
    expect(await withoutFiles(own, 'return proc.isAlive(own)')).toBe('EMFILE')
    expect(await withoutFiles(own, 'closeSync(files.pop()); return proc.isAlive(own)')).toBe(true)
  })

  it('does not leave out processes of the list: what a job started would be missing from it', async () => {
    const few = 'closeSync(files.pop()); closeSync(files.pop())'
    const all = `${few}; return (await proc.allStats()).some(({ pid }) => pid === process.pid)`
    expect(['EMFILE', true]).toContain(await withoutFiles('', all))
  })

  it('settles no end of a runner that it adopted, and goes on watching it', async () => {
    const before = `
      const seen = []
      const log = { error: (_, text) => seen.push(text), warn() {}, info() {}, debug() {} }
      const clock = { now: Date.now, sleep: (ms) => pause(ms), after: () => () => {} }
      const watch = createWatch({ clock, log, living: new Map(), folder: '/nowhere', stopReasons: new Map() })
      watch.onEnd((name) => seen.push(name))
      const shim = proc.identityOf(process.pid)`
    const lacking = `watch.adopt({ start: { name: 'linux-1' }, shim }); await pause(700); return seen`
    expect(await withoutFiles(before, lacking)).toEqual([])
  })
})
