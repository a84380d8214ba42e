import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { die, nodeIncident } from '../../../test/support/deaths.ts'
import { type CliBench, createCliBench } from '../../../test/support/holdfast-cli.ts'
import { deathListSchema } from '../../api/index.ts'
import { correctionRule } from '../../domain/death/index.ts'
import { aJobAtEnd } from '../../domain/death/testing.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const widest = (text: string) => Math.max(...text.split('\n').map((line) => [...line].length))

describe('holdfast deaths', () => {
  it('lists common causes, the number of deaths of each class, and each death', async () => {
    await die(cli.bench, 'linux-0', 'm1', { class: 'clean' })
    await die(cli.bench, 'linux-1', 'm789d', { job: aJobAtEnd({ jobId: 12 }) })
    await cli.bench.ledger.raiseIncident(nodeIncident, 0)
    await cli.bench.clock.advance(61_000)
    await die(cli.bench, 'linux-2', 'm789d', { confidence: 'likely' })
    const { code, out } = await cli.run('deaths')
    expect(code).toBe(0)
    expect(out).toBe(`9 of 11 \`never-started\` on node m789d in 6 min; 4 % of all runners were there
  open for 1 min 1 s, last death 1 min 1 s ago
  to do Read the end of one of them (holdfast deaths, holdfast explain); cordon
        the node until it is repaired.

In 1 d: 2 never-started; not listed: 1 clean.

UTC       CLASS          SURE    RUNNER   NODE   POOL   REPOSITORY  JOB
03:05:06  never-started  likely  linux-2  m789d  linux  -           -
03:04:05  never-started  proven  linux-1  m789d  linux  acme/web    12

How one of them ended: holdfast explain linux-2
`)
  })

  it('marks what was sealed although its runner lived, and says what is true, in text and with --json', async () => {
    for (const name of ['linux-1', 'linux-2', 'linux-3'])
      await die(cli.bench, name, 'm1', { class: 'vanished' })
    const correct = (runnerId: number, facts: Record<string, unknown>) =>
      cli.bench.ledger.recordDecision({
        rule: correctionRule,
        jobId: null,
        attemptId: null,
        runnerId,
        facts,
        actions: [],
      })
    await correct(1, { found: 'alive' })
    await correct(2, { found: 'ended', record: { class: 'evicted' } })
    const { out } = await cli.run('deaths')
    expect(out).toMatch(/ alive \(not vanished\) +\w+ +linux-1 /)
    expect(out).toMatch(/ evicted \(not vanished\) +\w+ +linux-2 /)
    expect(out).toMatch(/ vanished +\w+ +linux-3 /)
    expect(out).toContain('2 of these were sealed although their runner lived')
    const { deaths } = deathListSchema.parse(JSON.parse((await cli.run('deaths', '--json')).out))
    expect(deaths.map(({ runner, class: sealed, corrected }) => [runner, sealed, corrected])).toEqual([
      ['linux-3', 'vanished', null],
      ['linux-2', 'vanished', { at: '2026-01-02T03:04:05.000Z', class: 'evicted' }],
      ['linux-1', 'vanished', { at: '2026-01-02T03:04:05.000Z', class: null }],
    ])
  })

  it('fits into 80 columns, whatever the names are', async () => {
    const runner = 'a-pool-with-a-long-name-0123456789abcdef'
    const repository = 'an-organisation-of-some-length/and-its-repository'
    const over = { class: 'evicted-ephemeral-storage', job: aJobAtEnd({ repository, jobId: 123 }) } as const
    await die(cli.bench, runner, 'ip-10-200-100-100.eu-central-1.compute.internal', over)
    const reason = `3 of 3 \`crash\` of image ${'registry.example/'.repeat(2)}runner:1 in 6 min`
    await cli.bench.ledger.raiseIncident({ ...nodeIncident, kind: 'deaths-of-image', reason }, 0)
    const { out } = await cli.run('deaths', '--since', '7d')
    expect(widest(out)).toBeLessThanOrEqual(80)
    expect(out).toContain('01-02 03:04')
    expect(out).toContain('1 evicted-ephemeral-storage')
  })

  it('lists all, one class or one node, and no more than it is asked for', async () => {
    await die(cli.bench, 'linux-1', 'm1', { class: 'clean' })
    await die(cli.bench, 'linux-2', 'm1')
    await die(cli.bench, 'linux-3', 'm2', { class: 'crash' })
    expect((await cli.run('deaths')).out).not.toContain('linux-1 ')
    expect((await cli.run('deaths', '--all')).out).toContain('linux-1 ')
    expect((await cli.run('deaths', '--class', 'crash')).out).not.toContain('linux-2 ')
    expect((await cli.run('deaths', '--node', 'm1')).out).not.toContain('linux-3 ')
    expect((await cli.run('deaths', '--limit', '1')).out).toContain('1 more: --limit.')
  })

  it('says so where none died', async () => {
    await die(cli.bench, 'linux-1', 'm1', { class: 'clean' })
    expect((await cli.run('deaths')).out).toBe(
      'In 1 d: no such end; not listed: 1 clean.\n\nAll ends: holdfast deaths --all\n',
    )
  })

  it('gives one JSON document with --json', async () => {
    await die(cli.bench, 'linux-1', 'm1')
    const { out } = await cli.run('deaths', '--json')
    expect(deathListSchema.parse(JSON.parse(out)).deaths).toHaveLength(1)
  })

  it('lets nothing of a name reach the terminal as a control', async () => {
    await die(cli.bench, 'linux-1', 'm\u001b[2J1', { job: aJobAtEnd({ repository: 'acme/\u0007web' }) })
    expect((await cli.run('deaths')).out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it.each([
    [['--since', 'yesterday'], 'expected minutes, hours or days'],
    [['--since', '100d'], 'expected from 1m to 90d'],
    [['--class', 'hiccup'], 'hiccup'],
    [['--all', '--class', 'crash'], '--class'],
    [['--limit', '0'], 'from 1 to 500'],
  ])('does not understand %s, and says why', async (args, words) => {
    const { code, err } = await cli.run('deaths', ...args)
    expect(code).toBe(2)
    expect(err).toContain(words)
  })

  it('says with its own code that Holdfast does not answer', async () => {
    await cli.close()
    expect((await cli.run('deaths')).code).toBe(4)
    cli = await createCliBench()
  })

  it('helps with examples and with what its codes mean', async () => {
    const { code, out } = await cli.run('deaths', '--help')
    expect(code).toBe(0)
    expect(out).toContain('$ holdfast deaths --since 6h')
    expect(out).toMatch(/Exit codes:\n {2}0 /)
    expect(widest(out)).toBeLessThanOrEqual(80)
  })
})

describe('holdfast incidents', () => {
  it('shows a common cause as such, and not as a message of the forge', async () => {
    await cli.bench.ledger.raiseIncident(nodeIncident, 0)
    const { out } = await cli.run('incidents')
    expect(out).toContain('deaths-on-node  never-started on node m789d (runners of contract)')
    expect(out).toContain('  ends  9 of 11 `never-started` on node m789d in 6 min;')
    expect(out).toContain('it is over when no more such ends\n        come')
  })
})
