import path from 'node:path'
import type { Clock, Instant } from '../../ports/clock.ts'
import type { KernelFiles, KernelLog } from '../../ports/host-agent.ts'
import type { Log } from '../../ports/log.ts'
import type { AgentSettings } from '../settings.ts'
import { oomOwnerIn } from './oom.ts'
import { parseRecord } from './record.ts'

/** The bound of records that one tick reads of a flooded log; the next tick goes on. */
const recordsMax = 2_000
/** Lines that are older than the agent's start by more than this count only for known pods. */
const oldBeforeMs = 5_000

/** A line of the kernel about a kill at a memory limit. */
export interface OomNews {
  /** The pod's UID, or the local runner's name. */
  readonly owner: string
  readonly at: Instant
  readonly line: string
  /** From before the agent started. */
  readonly isOld: boolean
}

export interface OomReaderDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly files: KernelFiles
  readonly kernelLog: KernelLog
  readonly settings: Pick<AgentSettings, 'proc' | 'below'>
}

/** Reads the kernel's new OOM lines; records that other programs wrote to its log are ignored. */
export function createOomReader({ clock, log, files, kernelLog, settings }: OomReaderDeps) {
  const uptime = files.open(path.join(settings.proc, 'uptime'))
  const below = path.join('/', settings.below, '/')
  const startedAt = clock.now()
  let lost = 0

  return {
    read(now: Instant): readonly OomNews[] {
      const records = kernelLog.next(recordsMax)
      if (kernelLog.lost > lost) {
        log.warn({ lost: kernelLog.lost }, "some of the kernel's log was overwritten before it was read")
        lost = kernelLog.lost
      }
      const news: OomNews[] = []
      if (records.length === 0) return news
      const bootAt = now - 1_000 * Number.parseFloat(uptime?.read() ?? '0')
      for (const record of records) {
        const parsed = parseRecord(record)
        if (parsed === null || !parsed.isKernels) continue
        const owner = oomOwnerIn(parsed.text, below)
        if (owner === null) continue
        const at = Math.min(now, Math.round(bootAt + parsed.afterBootMs))
        news.push({ owner, at, line: parsed.text, isOld: at < startedAt - oldBeforeMs })
      }
      return news
    },
  }
}
