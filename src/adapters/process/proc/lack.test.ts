import { describe, expect, it } from 'vitest'
import { withoutFiles } from '../../../../test/support/without-files.ts'

const imports = `
  const proc = await import('${new URL('./index.ts', import.meta.url)}')
  const { createWatch } = await import('${new URL('../watch.ts', import.meta.url)}')`

describe('a host without free file descriptors', () => {
  it('does not take a live process for dead', async () => {
    const own = `${imports}; const own = proc.identityOf(process.pid)`
    expect(await withoutFiles(own, 'return proc.isAlive(own)')).toBe('EMFILE')
    expect(await withoutFiles(own, 'closeSync(files.pop()); return proc.isAlive(own)')).toBe(true)
  })

  it('leaves no process out of the list, where a child of a job would be missing', async () => {
    const few = 'closeSync(files.pop()); closeSync(files.pop())'
    const all = `${few}; return (await proc.allStats()).some(({ pid }) => pid === process.pid)`
    expect(['EMFILE', true]).toContain(await withoutFiles(imports, all))
  })

  it('does not settle the end of an adopted runner, and goes on watching it', async () => {
    const before = `${imports}
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
