const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A controller that works writes these objects within seconds; a slow image pull of a listener takes less than this. */
export const startGraceMs = minuteMs

/** ARC replaces a listener that ended within a second: one that is pending for longer does not start. */
export const listenerPendingMs = 5 * secondMs

/** A listener that stays up for longer is not in a crash loop: ARC makes the next one without back-off. */
export const listenerYoungMs = minuteMs

/** ARC makes the first pod of a listener within this time of the listener. */
export const listenerFirstPodMs = 10 * secondMs

/** Ends of one listener in the log's window: the first may be a drain or an upgrade. */
export const listenerEndsMin = 2

/** Lines of the controller's log that are older describe the past. */
export const logWindowMs = 10 * minuteMs

/** ARC removes the idle runners of an old generation within seconds of the new one. */
export const staleGraceMs = 5 * minuteMs

/** The reaper's minimum age: a runner may wait idle between two jobs of a workflow. */
export const idleMinAgeMs = hourMs

/** ARC asks again every 30 seconds: a removal that works is through after a few of them. */
export const finalizerGraceMs = 5 * minuteMs

/** The same where the pod has ended already, and nothing is left to wait for in the cluster. */
export const deadPodGraceMs = minuteMs

/** From registration to online: an image pull, the start of the pod. */
export const offlineGraceMs = 10 * minuteMs

/** A queued job is assigned within seconds where anything can take it. */
export const queuedGraceMs = 5 * minuteMs

/** Ahead of a refusal, so much is time to change an image. */
export const versionHorizonMs = 45 * dayMs

export const tableRowsMax = 200
