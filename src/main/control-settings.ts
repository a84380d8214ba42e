import type { ControlSettings } from '../control/index.ts'
import type { Config } from '../platform/config/index.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** From the start of a runner's process to its first poll; a process that takes longer hangs. */
const bootDeadlineMs = 30_000
/** Between asking a runner to stop and ending it. */
const stopGraceMs = 3_000
/** Idle runners beyond the warm ones are kept this long: the next push often comes soon. */
const surplusAfterMs = 30_000

export function controlSettings(config: Config, installation: string): ControlSettings {
  return {
    installation,
    recoveryTickMs: config.recovery.tickMs,
    redeliverEveryMs: config.recovery.redeliverEveryMs,
    auditEveryMs: config.recovery.auditEveryMs,
    bootDeadlineMs,
    startDeadlineMs: config.dispatch.startDeadlineMs,
    stopGraceMs,
    surplusAfterMs,
    archiveAfterMs: config.retention.archiveAfterMinutes * minuteMs,
    keepMs: config.retention.historyDays * dayMs,
  }
}
