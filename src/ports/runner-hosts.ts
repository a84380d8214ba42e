import type { HostReading, RunnerHost } from '../domain/workdir/index.ts'

/**
 * Looks at the work folders of persistent runners. It changes nothing.
 *
 * Contract, held by one suite against every implementation:
 * - A host that cannot be looked at is a reading, too: `look` throws only where the signal is aborted.
 * - Only the work folder in the declared root is read. No symlink below the root is followed, no other file system entered.
 * - Notable is each entry of another account than the runner's, each directory that its owner may not read, write and enter,
 *   each directory that the reader may not list, and each lock of git. Every other entry is counted.
 * - Processes named Runner.Worker and Runner.Listener are looked for before and after the entries are read; one that was seen either
 *   time is listed.
 * - Names are whatever a job made of them: they reach people escaped, and reach no shell.
 * - Entries, depth and time are bounded; a bound that was met is named in `cuts`.
 */
export interface RunnerHosts {
  look(host: RunnerHost, signal: AbortSignal): Promise<HostReading>
}
