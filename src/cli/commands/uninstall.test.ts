import { afterEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'

let cli: CliBench
afterEach(() => cli.close())

describe('holdfast uninstall', () => {
  it('says what it would do, and that nothing was changed', async () => {
    cli = await createCliBench()
    const { code, out } = await cli.run('uninstall')
    expect(code).toBe(0)
    expect(out).toMatch(/^planned +RunnerPool linux: delete it$/m)
    expect(out).toMatch(/Nothing was changed. With --yes/)
  })

  it('ends with 8 where something is left, and says why', async () => {
    cli = await createCliBench()
    const { code, out } = await cli.run('uninstall', '--yes')
    expect(code).toBe(8)
    expect(out).toMatch(/^left +Pod linux-1: leave it: a job runs in it, or may$/m)
    expect(out).toMatch(/1 of 2 are gone from the namespace ci/)
  })
})
