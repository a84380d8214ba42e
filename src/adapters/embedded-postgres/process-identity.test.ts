import { describe, expect, it } from 'vitest'
import { withoutFiles } from '../../../test/support/without-files.ts'

const before = `
  const { identityOf, isAlive } = await import('${new URL('./process-identity.ts', import.meta.url)}')
  const own = await identityOf(process.pid)`

describe.runIf(process.platform === 'linux')('a process without free file descriptors', () => {
  it('does not take the holder of a data folder for dead', async () => {
    expect(await withoutFiles(before, 'return isAlive(own)')).toBe('EMFILE')
  })

  it('sees again that the holder lives once a descriptor is free', async () => {
    expect(await withoutFiles(before, 'closeSync(files.pop()); return isAlive(own)')).toBe(true)
  })
})
