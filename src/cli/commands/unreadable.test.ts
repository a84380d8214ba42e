import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

describe('what only a newer version can read', () => {
  it('is listed below the jobs and the runners, which are shown as usual', async () => {
    await cli.bench.queue(1)
    await cli.bench.queue(2)
    for (const name of ['linux-1', 'linux-2']) await cli.bench.enrol(name)
    cli.bench.ledger.makeUnreadable({ kind: 'job', id: 1 })
    cli.bench.ledger.makeUnreadable({ kind: 'runner', id: 1 })
    const jobs = (await cli.run('jobs')).out
    expect(jobs).toMatch(/^2 +acme\/web +test +queued/m)
    expect(jobs).not.toMatch(/^1 /m)
    expect(jobs.replaceAll(/\s+/g, ' ')).toContain(
      'written by a newer version job 1 of acme/web · test: The ledger\'s row jobs 1 has "of-tomorrow" in state',
    )
    const runners = (await cli.run('runners')).out
    expect(runners).toMatch(/^linux-2 +linux +booting/m)
    expect(runners.replaceAll(/\s+/g, ' ')).toContain('written by a newer version runner linux-1 of linux: ')
  })

  it('is listed where there is nothing else, and not where everything can be read', async () => {
    await cli.bench.queue(1)
    const undo = cli.bench.ledger.makeUnreadable({ kind: 'job', id: 1 })
    expect((await cli.run('jobs')).out).toContain('written by a newer version')
    undo()
    expect((await cli.run('jobs')).out).not.toContain('newer version')
    expect((await cli.run('runners')).out).toBe('There is no runner.\n')
  })
})
