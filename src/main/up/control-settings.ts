import type { ControlSettings } from '../../control/index.ts'
import { scaledBounds } from '../../domain/recovery/index.ts'
import type { Config } from '../../platform/config/index.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Between asking a runner to stop and ending it. */
const stopGraceMs = 3_000

export function controlSettings(config: Config, installation: string): ControlSettings {
  return {
    installation,
    recoveryTickMs: config.recovery.tickMs,
    redeliverEveryMs: config.recovery.redeliverEveryMs,
    auditEveryMs: config.recovery.auditEveryMs,
    startDeadlineMs: config.dispatch.startDeadlineMs,
    stopGraceMs,
    bounds: scaledBounds(config.recovery.boundsFactor),
    strayGraceMs: config.recovery.strayGraceMs,
    archiveAfterMs: config.retention.archiveAfterMinutes * minuteMs,
    keepMs: config.retention.historyDays * dayMs,
  }
}
