import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MadeHost } from '../../../test/contract/runner-hosts/contract.ts'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { createTwinHost } from '../../../test/support/workdirs/twin.ts'
import { workdirReportSchema, workdirTriageSchema } from '../../api/index.ts'
import { forgeJobFact, listed, snapshotOf } from '../../domain/snapshot/testing/facts.ts'
import type { CliDeps } from '../deps.ts'

const contract = `version: 1
runnerHosts:
  - name: honey-am-2
    root: /srv/honey-am-2
  - name: honey-am-3
    root: /srv/honey-am-3
    ssh: { address: honey.example.org, user: runner, knownHosts: /etc/holdfast/known_hosts }
`
const failing =
  "2026-01-02T03:04:05.1Z ##[error]File was unable to be removed Error: EACCES: permission denied, unlink '/srv/honey-am-2/_work/web/web/dist/app.js'"

let cli: CliBench
let twin: MadeHost
beforeEach(async () => {
  cli = await createCliBench()
  twin = createTwinHost()
})
afterEach(() => cli.close())

function run(given: Partial<CliDeps['roles']>, ...args: string[]) {
  const readFile = (file: string) => ({ 'contract.yaml': contract, 'empty.yaml': 'version: 1\n' })[file]
  const bytes = new TextEncoder().encode(
    `Run actions/checkout@v4\n${args[1] === 'other.log' ? 'fatal: no' : failing}\n`,
  )
  return cli.runWith(
    {
      readFile,
      readTail: async () => ({ bytes, isCut: false, writtenAt: null }),
      roles: { ...roles, lookAtRunnerHost: (host, signal) => twin.hosts.look(host, signal), ...given },
    },
    'workdir',
    ...args,
  )
}
const audit = (...args: string[]) => run({}, 'audit', ...args, '--contract', 'contract.yaml')
const triage = (...args: string[]) => run({}, 'triage', ...args, '--contract', 'contract.yaml')

describe('holdfast workdir audit', () => {
  it('ends with 0 where everything is in order', async () => {
    await twin.directory('web/web')
    const { code, out } = await audit('honey-am-2')
    expect({ code, first: out.split('\n')[0] }).toEqual({ code: 0, first: 'Nothing is wrong on 1 host.' })
  })

  it('ends with 1 and shows the entries, what must not be concluded and who acts', async () => {
    await twin.directory('web/web/dist', { uid: 0 })
    await twin.file('web/web/dist/app.js', { uid: 0 })
    const { code, out } = await audit('honey-am-2')
    expect(code).toBe(1)
    expect(out).toContain('single-repo-candidate')
    expect(out).toContain('- web/web/dist: directory of uid 0, mode 0755 (host, ')
    expect(out).toContain('careful: The repository is not at fault')
    expect(out).toContain('next, by a person: Stop the runner of honey-am-2')
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  })

  it('shows no secret that a job has put into a name', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    await twin.directory(`web/web/${secret}`, { uid: 0 })
    await twin.directory(`${secret}/x`, { uid: 0 })
    await twin.file(`web/web/.git/${secret}.lock`)
    const { code, out } = await audit('honey-am-2', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      findings: [{ class: 'multi-repo-contaminated' }],
      unjudged: [{}],
    })
    expect(out).not.toContain(secret)
  })

  it('ends with 2 where a Worker keeps it from being judged', async () => {
    await twin.directory('web/web/dist', { uid: 0 })
    await twin.start('Runner.Worker', 'here')
    const { code, out } = await audit('honey-am-2')
    expect(code).toBe(2)
    expect(out).toContain('needs another look when its job has ended')
  })

  it('judges the others where one host does not answer', async () => {
    await twin.directory('web/web/dist', { uid: 0 })
    const lookAtRunnerHost: CliDeps['roles']['lookAtRunnerHost'] = async (host, signal) =>
      host.ssh === null ? twin.hosts.look(host, signal) : { kind: 'unreachable', why: 'refused', needs: null }
    const { code, out } = await run({ lookAtRunnerHost }, 'audit', '--contract', 'contract.yaml', '--json')
    expect(code).toBe(1)
    const report = workdirReportSchema.parse(JSON.parse(out))
    expect(report.hosts.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['honey-am-2', 'contaminated'],
      ['honey-am-3', 'unreachable'],
    ])
    expect(report.unjudged).toMatchObject([{ class: 'unreachable-host' }])
  })

  it.each([
    [['audit'], /name the file .* with --contract/],
    [['audit', '--contract', 'empty.yaml'], /empty.yaml declares no host/],
    [
      ['audit', 'honey', '--contract', 'contract.yaml'],
      /no host honey is declared; there are: honey-am-2, honey-am-3/,
    ],
  ])('refuses %j, with what to do', async (args, message) => {
    const { code, err } = await run({}, ...args)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) })
  })
})

describe('holdfast workdir triage', () => {
  it('leads from a line of a log to the folder that made it fail', async () => {
    await twin.directory('web/web/dist', { uid: 0 })
    await twin.file('web/web/dist/app.js', { uid: 0 })
    const { code, out } = await triage('job.log', '--json')
    expect(code).toBe(1)
    expect(workdirTriageSchema.parse(JSON.parse(out))).toMatchObject({
      host: 'honey-am-2',
      folder: 'web',
      verdict: 'contaminated',
      line: { kind: 'not-removable' },
      unknown: [],
    })
  })

  it('says that the folder is in order where it is by now', async () => {
    await twin.directory('web/web')
    const { code, out } = await triage('job.log')
    expect(code).toBe(0)
    expect(out).toMatch(/^The folder web on honey-am-2 is in order now/)
  })

  it('gives no verdict while a Worker is at work, nor where the folder is gone', async () => {
    expect((await triage('job.log')).code).toBe(2)
    await twin.directory('web/web')
    await twin.start('Runner.Worker', 'here')
    const { code, out } = await triage('job.log')
    expect(code).toBe(2)
    expect(out).toMatch(/^The folder web on honey-am-2 may be in use/)
  })

  it('contacts no host with --parse-only', async () => {
    const lookAtRunnerHost = async () => Promise.reject(new Error('a host was contacted'))
    const given = ['triage', 'job.log', '--parse-only', '--contract', 'contract.yaml'] as const
    const { code, out } = await run({ lookAtRunnerHost }, ...given)
    expect(code).toBe(0)
    expect(out).toMatch(/host +honey-am-2\nfolder +web/)
  })

  it('gives no verdict where no line of the log leads to a work folder', async () => {
    const { code, out } = await triage('other.log')
    expect(code).toBe(2)
    expect(out).toMatch(/^No verdict: no line of the log leads to a work folder/)
  })

  it('reads the logs of the failed jobs of a run at the forge', async () => {
    await twin.directory('web/web/dist', { uid: 0 })
    const asked: unknown[] = []
    const jobs = listed([
      forgeJobFact(86, { repository: 'acme/web', runId: 31, conclusion: 'success' }),
      forgeJobFact(87, {
        repository: 'acme/web',
        runId: 31,
        conclusion: 'failure',
        runnerName: 'honey-am-2',
      }),
    ])
    const logs = listed([{ repository: 'acme/web', jobId: 87, lines: [failing], isCut: false }])
    const collectSnapshot: CliDeps['roles']['collectSnapshot'] = async (_config, order) => {
      asked.push(order.jobs?.map(({ jobId }) => jobId) ?? order.runs)
      return snapshotOf({ forge: order.jobs === undefined ? { jobs } : { jobs, logs } })
    }
    const url = 'https://github.com/acme/web/actions/runs/31'
    const { code, out } = await run({ collectSnapshot }, 'triage', url, '--contract', 'contract.yaml')
    expect(asked).toEqual([[{ repository: 'acme/web', runId: 31 }], [87]])
    expect(out).toMatch(/runner +honey-am-2\nhost +honey-am-2\nfolder +web/)
    expect(code).toBe(1)
  })

  it('refuses a URL that is none of a job or run', async () => {
    const { code, err } = await triage('https://example.org/')
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('no URL of a job or run') })
  })
})
