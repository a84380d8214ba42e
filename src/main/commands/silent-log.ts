import type { Log } from '../../ports/log.ts'

/** Nothing of a single question is worth a log: what goes wrong is in its answer. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog }
