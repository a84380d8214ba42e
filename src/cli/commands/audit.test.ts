import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterEach, describe, expect, it } from 'vitest'
import { arcSnapshot } from '../../../test/support/arc-states.ts'
import { type CliBench, createCliBench, roles, type Steps } from '../../../test/support/holdfast-cli.ts'
import { auditJsonSchema, auditReportSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import { listed, scaleSetFact, snapshotOf, unread } from '../../domain/snapshot/testing/facts.ts'
import type { CliDeps } from '../deps.ts'

let cli: CliBench
const snapshots: Record<string, () => Snapshot> = {
  healthy: () => snapshotOf(),
  dark: () => {
    const healthy = arcSnapshot('0.14.2/a-healthy-idle', { withForge: true })
    return { ...healthy, cluster: { ...healthy.cluster, listeners: unread('autoscalinglisteners') } }
  },
  set: () => snapshotOf({ cluster: { scaleSets: listed([scaleSetFact('linux')]) } }),
  deadlock: () => arcSnapshot('head/c-rollover-deadlock', { withForge: true }),
}

async function run(...args: string[]) {
  return runOn([], ...args)
}

/** The readings of `--watch` in turn; a reading may fail. */
async function runOn(readings: (() => Snapshot)[], ...args: string[]) {
  return runWith({}, readings, ...args)
}

async function runWith(over: Partial<CliDeps>, readings: (() => Snapshot)[], ...args: string[]) {
  const steps: Steps = readings.slice(1).map(() => async () => undefined)
  cli = await createCliBench('simulated', steps)
  return cli.runWith(
    {
      roles: {
        ...roles,
        readSnapshot: async (file) => snapshots[file]?.() ?? Promise.reject(new Error(`no ${file}`)),
        collectSnapshot: async () => (readings.shift() ?? snapshotOf)(),
      },
      ...over,
    },
    'audit',
    ...args,
  )
}

afterEach(() => cli.close())

describe('holdfast audit', () => {
  it('shows what is wrong with its evidence, and exits with 1', async () => {
    const { code, out } = await run('runtime', '--snapshot', 'deadlock')
    expect(code).toBe(1)
    expect(out).toMatch(/^1 finding: 1 critical\.\n/)
    expect(out).toMatch(/\ncritical {2}rollover-deadlock: /)
    expect(out).toMatch(/\n {4}- .* \(cluster, /)
    expect(out).toMatch(/\n {2}careful: /)
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  })

  it('exits with 0 only where everything was judged, and with 2 where it was not', async () => {
    expect(await run('runtime', 'pending', '--snapshot', 'healthy')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing is wrong by 2 audits.'),
    })
    expect(await run('runtime', '--snapshot', 'dark')).toMatchObject({
      code: 2,
      out: expect.stringContaining('needs list autoscalinglisteners'),
    })
  })

  it('gives with --json what its published schema describes', async () => {
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    const validate = ajv.compile(auditJsonSchema())
    for (const file of ['deadlock', 'dark', 'healthy']) {
      const report = JSON.parse((await run('--snapshot', file, '--label', 'x', '--json')).out)
      expect(validate(report), JSON.stringify(validate.errors)).toBe(true)
      expect(auditReportSchema.parse(report)).toEqual(report)
    }
  })

  it('lets the exit code speak of one class alone where that is asked for', async () => {
    const flag = '--fail-on-stale-idle-listener-blocker'
    expect((await run('runtime', '--snapshot', 'healthy', flag)).code).toBe(0)
    expect((await run('runtime', '--snapshot', 'dark', flag)).code).toBe(2)
    const other = await run('pending', '--snapshot', 'healthy', flag)
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('needs the audit runtime') })
  })

  it('compares with what a contract declares, and says what is wrong with a contract itself', async () => {
    const contract = 'version: 1\nlanes:\n  - label: linux\n    maxRunners: 3\n'
    const readFile = (file: string) => (file === 'lanes.yaml' ? contract : undefined)
    const { out, code } = await runWith(
      { readFile },
      [],
      'contract',
      '--snapshot',
      'set',
      '--contract',
      'lanes.yaml',
    )
    expect(code).toBe(1)
    expect(out).toContain('lanes.yaml:4')
    const gone = await runWith({ readFile }, [], 'contract', '--snapshot', 'set', '--contract', 'gone.yaml')
    expect(gone).toMatchObject({ code: 3, err: expect.stringContaining('gone.yaml') })
  })

  it("judges GitLab Runner's file where one is given, and says where there is none", async () => {
    const good = 'concurrent = 2\n[[runners]]\n  name = "a"\n'
    const files: Record<string, string> = { 'good.toml': good, 'bad.toml': `${good}  limt = 2\n` }
    const audit = (...args: string[]) =>
      runWith({ readFile: (file) => files[file] }, [], ...args, '--snapshot', 'healthy')
    expect((await audit('gitlab-toml', '--file', 'good.toml')).code).toBe(0)
    const bad = await audit('--file', 'bad.toml')
    expect(bad).toMatchObject({ code: 1, out: expect.stringContaining('config bad.toml:4 (likely)') })
    const gone = await audit('gitlab-toml', '--file', 'gone.toml')
    expect(gone.err).toContain('gone.toml cannot be judged: there is no such file')
    expect(gone.code).not.toBe(0)
    const none = await audit('gitlab-toml')
    expect(none).toMatchObject({ code: 2, out: expect.stringContaining('needs --file config.toml') })
  })

  it('judges a file without any fleet, and nothing else', async () => {
    const orders: (boolean | undefined)[] = []
    const collectSnapshot: CliDeps['roles']['collectSnapshot'] = async (_, { mayBeEmpty }) => {
      orders.push(mayBeEmpty)
      return snapshotOf()
    }
    const readFile = (file: string) => (file === 'config.toml' ? 'concurrent = 2\n' : undefined)
    const over = { readFile, roles: { ...roles, collectSnapshot } }
    await runWith(over, [], 'gitlab-toml', '--file', 'config.toml')
    await runWith(over, [], 'gitlab-toml', 'gitlab', '--file', 'config.toml')
    await runWith(over, [], 'gitlab-toml')
    expect(orders).toEqual([true, false, false])
  })

  it('refuses an audit that there is not, and names those that there are', async () => {
    const { code, err } = await run('rnutime', '--snapshot', 'healthy')
    expect(code).toBe(2)
    expect(err).toContain('runtime')
  })

  it('says why where neither a file nor a fleet can be read', async () => {
    const failing = () => {
      throw new HoldfastError('E_CLUSTER_UNREACHABLE', { call: 'GET /api', reason: 'it hangs' })
    }
    expect((await runOn([failing])).code).toBe(4)
  })
})

describe('holdfast audit --watch', () => {
  const { healthy, deadlock } = snapshots as Record<'healthy' | 'deadlock', () => Snapshot>
  const failing = (): never => {
    throw new Error('the cluster is away')
  }

  it('shows the whole once, then only what came and what went, and goes on where a reading fails', async () => {
    const { code, out, err } = await runOn(
      [healthy, healthy, deadlock, failing, deadlock, healthy],
      'runtime',
      '--watch',
    )
    const [head, ...rest] = out.trimEnd().split('\n')
    expect(head).toBe('Nothing is wrong by 1 audit.')
    const changes = rest.filter((line) => /^\d\d:\d\d:\d\d/.test(line))
    expect(changes).toEqual([
      expect.stringMatching(/^03:05:05 {2}new rollover-deadlock scale-set /),
      expect.stringMatching(/^03:06:35 {2}gone rollover-deadlock scale-set /),
    ])
    expect(err).toContain('not read: the cluster is away')
    expect(code).toBe(0)
  })

  it('prints a document for each change with --json', async () => {
    const { out, code } = await runOn([healthy, healthy, deadlock], 'runtime', '--watch', '--json')
    const reports = out
      .trimEnd()
      .split('\n')
      .map((line) => auditReportSchema.parse(JSON.parse(line)))
    expect(reports.map(({ outcome }) => outcome)).toEqual(['clean', 'findings'])
    expect(code).toBe(1)
  })

  it('reads a fleet less often that takes long to read', async () => {
    const slow = () => ({ ...healthy(), cost: { requests: 9_000, bytes: 1, ms: 60_000 } })
    const { out } = await runOn([slow, deadlock], 'runtime', '--watch')
    expect(out).toMatch(/\n03:08:05 {2}new /)
  })

  it('is refused with a file, which does not change', async () => {
    expect((await run('--watch', '--snapshot', 'healthy')).code).toBe(2)
  })
})
