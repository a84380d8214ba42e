import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import type { Check } from '../../domain/examination.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const refused = () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))
const installation = 'contract'

describe('holdfast status', () => {
  it('says with exit code 0 that all is well', async () => {
    await cli.bench.queue(1)
    const { code, out } = await cli.run('status')
    expect([code, out]).toEqual([0, expect.stringMatching(/^All is well\. http/)])
    expect(out).toContain('jobs: 1 waiting, 0 running; runners: 0 live, 0 idle')
  })

  it('says with exit code 1 what needs attention, each with the command that shows more', async () => {
    await cli.bench.queue(1, { labels: ['self-hosted', 'gpu'] })
    const incident = { kind: 'credentials-refused', scope: 'installation', key: installation } as const
    await cli.bench.ledger.raiseIncident({ installation, ...incident, reason: 'Bad credentials' }, 0)
    const { code, out } = await cli.run('status')
    expect(code).toBe(1)
    expect(out).toMatch(/^2 things need attention\./)
    expect(out).toMatch(/^ {2}- incident: .*: holdfast incidents$/m)
    expect(out).toContain('  - 1 job out of reach of every runner: holdfast jobs --unreachable\n')
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
    expect(JSON.parse((await cli.run('status', '--json')).out)).toMatchObject({ status: 'attention' })
  })

  it('keeps to ten lines, whatever there is', async () => {
    for (let n = 0; n < 12; n += 1) {
      const key = `acme/repository-${n}`
      const incident = { kind: 'runners-disabled', scope: 'repository', key } as const
      await cli.bench.ledger.raiseIncident({ installation, ...incident, reason: 'x'.repeat(300) }, 0)
    }
    const { out } = await cli.run('status')
    expect(out.trimEnd().split('\n')).toHaveLength(10)
    expect(out).toContain('and 5 more: holdfast status --json')
  })

  it('names the part that is not ready', async () => {
    await cli.close()
    const health = {
      ready: async () => ({ ready: false, parts: [{ name: 'ledger', ready: false, why: 'no room' }] }),
      live: () => ({ live: true, dead: [] }),
    }
    cli = await createCliBench('simulated', [], { health })
    const { code, out } = await cli.run('status')
    expect([code, out]).toEqual([1, expect.stringContaining('- not ready: ledger, no room: holdfast doctor')])
  })

  it('says with exit code 2 that the state is unknown where no server answers', async () => {
    const { code, out } = await cli.runWith({ fetch: refused }, 'status')
    expect([code, out]).toEqual([2, expect.stringContaining('Unknown: No Holdfast answers at ')])
    const json = await cli.runWith({ fetch: refused }, 'status', '--json')
    expect(JSON.parse(json.out)).toMatchObject({ status: 'unknown' })
  })
})

describe('holdfast doctor', () => {
  it('looks at the machine and at the instance that runs', async () => {
    const { code, out } = await cli.run('doctor')
    expect(code).toBe(0)
    for (const name of ['disk', 'version', 'clock', 'forge', 'webhooks']) {
      expect(out).toMatch(new RegExp(`^ok +${name} `, 'm'))
    }
  })

  it('works where none runs, and says what is looked at later', async () => {
    const { code, out } = await cli.runWith({ fetch: refused }, 'doctor')
    expect(code).toBe(0)
    expect(out).toMatch(/^ok +disk /m)
    expect(out).toMatch(/^warn +instance +No Holdfast answers/m)
  })

  it.each([
    ['fail', 1],
    ['unknown', 2],
    ['warn', 0],
  ] as const)('a check that is %s makes the exit code %d', async (result, expected) => {
    const check: Check = { name: 'ports', result, found: 'port 8480 is taken', todo: 'End that program.' }
    const ran = await cli.runWith({ roles: { ...roles, examine: async () => [check] } }, 'doctor')
    expect(ran.code).toBe(expected)
    expect(ran.out).toMatch(/to do End that program\./)
    const json = await cli.runWith({ roles: { ...roles, examine: async () => [check] } }, 'doctor', '--json')
    expect(JSON.parse(json.out).checks).toContainEqual(check)
  })

  it('does not take an instance that answers with errors for one that does not run', async () => {
    const fetch = async () => new Response('<html>')
    const { code, out } = await cli.runWith({ fetch }, 'doctor')
    expect([code, out]).toEqual([2, expect.stringMatching(/^unknown +forge /m)])
    expect(out).not.toContain('Start it')
  })

  it('names an incident of the forge and what to do', async () => {
    const incident = { kind: 'credentials-refused', scope: 'installation', key: installation } as const
    await cli.bench.ledger.raiseIncident({ installation, ...incident, reason: 'Bad credentials' }, 0)
    const { code, out } = await cli.run('doctor')
    expect([code, out]).toEqual([1, expect.stringMatching(/^fail +forge /m)])
  })
})
