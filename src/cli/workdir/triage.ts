import type { Command } from 'commander'
import { iso, type WorkdirTriage, workdirReport } from '../../api/index.ts'
import { failingLineOf, type Located, locate, originOf, type RunnerHost } from '../../domain/workdir/index.ts'
import type { Context } from '../context.ts'
import { judgeHosts } from './judge-hosts.ts'
import { type JobLog, readLogs } from './read-logs.ts'

export interface WorkdirTriageOrder {
  readonly asked: string
  readonly hosts: readonly RunnerHost[]
  /** Contact no host. */
  readonly isParseOnly: boolean
}

/** From logs to a failing line, from there to a host and a folder, and to the verdict on that folder. */
export async function triageWorkdir(
  { asked, hosts, isParseOnly }: WorkdirTriageOrder,
  command: Command,
  context: Context,
): Promise<WorkdirTriage> {
  const { logs, unread } = await readLogs(asked, command, context)
  const lead = leadOf(logs, hosts)
  const bare: WorkdirTriage = {
    version: 1,
    at: iso(context.clock.now()),
    asked,
    runner: lead?.runner ?? logs[0]?.runner ?? null,
    line: lead?.line ?? null,
    host: null,
    folder: lead?.located.folder ?? null,
    verdict: null,
    unknown: [],
    audit: null,
  }
  if (lead === null) return { ...bare, unknown: [...unread, noLine(logs)] }
  const { located } = lead
  if (located.kind === 'nowhere') return { ...bare, unknown: [{ why: located.why, needs: located.needs }] }
  const found = { ...bare, host: located.host.name }
  if (isParseOnly) return found
  const judged = await judgeHosts([located.host], context)
  const audit = workdirReport(judged, context.clock.now())
  const verdict = judged[0]?.folders.find(({ name }) => name === located.folder)?.verdict ?? null
  return { ...found, audit, verdict, unknown: verdict === null ? [noFolder(located, audit.unjudged[0])] : [] }
}

/** The first log with a line that leads somewhere, else the first with a line. */
function leadOf(logs: readonly JobLog[], hosts: readonly RunnerHost[]) {
  const leads = logs.flatMap(({ lines, runner }) => {
    const line = failingLineOf(lines)
    if (line === null) return []
    const origin = originOf(lines)
    const runnerName = runner ?? origin.runnerName
    return { line, runner: runnerName, located: locate(line, { ...origin, runnerName }, hosts) }
  })
  return leads.find(({ located }) => located.kind === 'found') ?? leads[0] ?? null
}

function noLine(logs: readonly JobLog[]): WorkdirTriage['unknown'][number] {
  const isCut = logs.some((log) => log.isCut)
  return {
    why: `${isCut ? 'the newest part of the log has' : 'the log has'} no line of checkout that fails on what is left in a work folder`,
    needs: 'holdfast triage, which knows other reasons',
  }
}

function noFolder(
  { host, folder }: Extract<Located, { kind: 'found' }>,
  open: { readonly why: string; readonly needs: string | null } | undefined,
): WorkdirTriage['unknown'][number] {
  if (open !== undefined) return { why: open.why, needs: open.needs }
  return {
    why: `${host.name} has no folder ${folder} any more`,
    needs: 'the job again: its folder is made when it starts',
  }
}
