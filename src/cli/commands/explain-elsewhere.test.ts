import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emptyResync, jobEventOf } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { anEnding } from '../../../test/support/rows.ts'
import { aPodEnd, aRunnerEnd } from '../../domain/death/testing.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { ForeignRunner } from '../../ports/foreign-runner.ts'
import type { ForeignOrder } from '../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const idleForge = {
  rerunJob: async () => ({ kind: 'done' }) as const,
  rerunFailedJobs: async () => ({ kind: 'done' }) as const,
  cancelRun: async () => ({ kind: 'done' }) as const,
  readLog: async () => null,
  readJobDetail: async () => null,
  readRunJobs: async () => [],
  resync: async () => emptyResync(''),
  budget: async () => ({ budget: null, pausedUntil: null }),
}

/** A part of the output, by its title. */
function part(out: string, title: string): string {
  return out.split('\n\n').find((each) => each.startsWith(title)) ?? ''
}

describe('holdfast explain --log', () => {
  const read =
    (text: string, over = {}) =>
    async () => ({
      bytes: Buffer.from(text),
      isCut: false,
      writtenAt: Date.UTC(2026, 0, 2),
      ...over,
    })
  const offline = { HOLDFAST_URL: 'http://127.0.0.1:9' }

  it('judges a log without a server, and is never sure', async () => {
    const log = "npm ERR! Error: ENFILE: file table overflow, open '/x'\n"
    const { code, out } = await cli.runWith(
      { env: offline, readTail: read(log) },
      'explain',
      '--log',
      'build.log',
    )
    expect(code).toBe(0)
    expect(out).toContain('Log build.log\n  The log was read whole.\n')
    expect(part(out, 'Verdict')).toMatch(/\(host-file-table, likely\)/)
    expect(part(out, 'Its last lines')).toContain('ENFILE')
  })

  it('exits with 9 where the log says nothing', async () => {
    const { code } = await cli.runWith({ readTail: read('all is well\n') }, 'explain', '--log', '-')
    expect(code).toBe(9)
  })

  it('says that it read the newest part alone, and masks secrets', async () => {
    const log = `${'filler line\n'.repeat(10_000)}token=abcdefghijklmnop\nend\n`
    const { out } = await cli.runWith({ readTail: read(log) }, 'explain', '--log', 'x')
    expect(out).toContain('Only the newest part of the log was read.')
    expect(out).toContain('| end')
    expect(out).not.toContain('abcdefghijklmnop')
  })

  it('exits with 6 where there is no such file', async () => {
    const readTail = async () => {
      throw new HoldfastError('E_LOG_UNREADABLE', { file: 'x', reason: 'ENOENT' })
    }
    expect(await cli.runWith({ readTail }, 'explain', '--log', 'x')).toMatchObject({
      code: 6,
      err: expect.stringContaining('The log x cannot be read: ENOENT.'),
    })
  })
})

describe('holdfast explain of a runner that is not ours', () => {
  const orders: ForeignOrder[] = []
  const ending = anEnding({ exitCode: 139, pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 139 })] }) })
  const foreign: ForeignRunner = {
    namespace: 'arc',
    pod: 'arc-1',
    state: 'ended',
    ending,
    events: [],
    owner: null,
    missing: [],
  }
  const reading = (found: ForeignRunner = foreign) => ({
    roles: {
      ...roles,
      async readForeignRunner(order: ForeignOrder) {
        orders.push(order)
        return found
      },
    },
  })

  it('reads its cluster alone, and says what it cannot know', async () => {
    const { code, out } = await cli.runWith(reading(), 'explain', '--namespace', 'arc', 'arc-1')
    expect(code).toBe(0)
    expect(orders.at(-1)).toEqual({ pod: 'arc-1', namespace: 'arc', kubeconfig: undefined })
    expect(out).toContain('Pod arc/arc-1\n')
    expect(part(out, 'Verdict')).toContain('crash')
    expect(part(out, 'Not known').replaceAll(/\s+/g, ' ')).toContain('no record was sealed when it ended')
  })

  it('takes the cluster from the option, else from the settings', async () => {
    await cli.runWith({ ...reading(), env: {} }, 'explain', '--kubeconfig', 'k', 'arc/arc-1')
    expect(orders.at(-1)).toEqual({ pod: 'arc-1', namespace: 'arc', kubeconfig: 'k' })
    const env = { HOLDFAST_DATA_DIR: '/data', HOLDFAST_FLEET_KUBECONFIG: 'set' }
    await cli.runWith({ ...reading(), env }, 'explain', '--namespace', 'arc', 'pod/arc-1')
    expect(orders.at(-1)).toEqual({ pod: 'arc-1', namespace: 'arc', kubeconfig: 'set' })
    await cli.runWith({ ...reading(), env }, 'explain', '--namespace', 'arc', 'runner/arc-1')
    expect(orders.at(-1)).toEqual({ pod: 'arc-1', namespace: 'arc', kubeconfig: 'set' })
  })

  it("finds it by its job's URL, with what the forge says", async () => {
    const url = 'https://github.com/acme/other/actions/runs/31/job/87'
    const word = {
      ...jobEventOf(87, { repository: 'acme/other', runId: 31 }),
      ...({ status: 'completed', conclusion: 'failure', runnerName: 'arc-1' } as const),
    }
    await cli.close()
    cli = await createCliBench('github', [], { forge: { ...idleForge, readJob: async () => word } })
    const { code, out } = await cli.runWith(reading(), 'explain', '--namespace', 'arc', url)
    expect(code).toBe(0)
    expect(orders.at(-1)).toEqual({ pod: 'arc-1', namespace: 'arc', kubeconfig: undefined })
    expect(part(out, 'Evidence')).toContain(
      'The forge says that the job is completed (failure). (forge, 0 s ago)',
    )
    const alone = await cli.run('explain', url)
    expect([alone.code, alone.out]).toEqual([9, expect.stringContaining('--namespace <namespace>')])
  })

  it('is not asked for where the job is ours, or where the forge names no runner', async () => {
    await cli.bench.queue(87, { runId: 31 })
    const ours = 'https://github.com/acme/web/actions/runs/31/job/87'
    const { code, err } = await cli.runWith(reading(), 'explain', '--namespace', 'arc', ours)
    expect([code, err]).toEqual([2, expect.stringContaining('this job is one of Holdfast')])
  })

  it('exits with 9 where its pod is gone', async () => {
    const gone = { ...foreign, state: 'gone', ending: null } as const
    expect((await cli.runWith(reading(gone), 'explain', '--namespace', 'arc', 'arc-1')).code).toBe(9)
  })

  it('does not ask the cluster for what is no name of a pod', async () => {
    const before = orders.length
    for (const subject of ['a/b/c', 'UPPER', '..']) {
      expect((await cli.runWith(reading(), 'explain', '--namespace', 'arc', subject)).code).toBe(2)
    }
    expect((await cli.runWith(reading(), 'explain', '--namespace', 'arc', 'other/arc-1')).code).toBe(2)
    expect(orders.length).toBe(before)
  })
})
