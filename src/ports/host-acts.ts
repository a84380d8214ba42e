import type { FolderTarget, RunnerHost, ServiceTarget } from '../domain/workdir/index.ts'

/**
 * `done`: it was tried to its end; only a look shows the result. `gone`, `conflict`: the folder is not there, or is not the planned
 * one, and nothing was done. `unknown`: the answer was lost, and it may be under way still.
 */
export type HostAnswer = 'done' | 'gone' | 'conflict' | 'unknown'

/**
 * Changes the host of a persistent runner: one folder, or the state of its service.
 *
 * Contract, held by one suite against every implementation:
 * - Throws E_HOST_REFUSED where the host refuses: then nothing was done, and the sentence says why.
 * - The host itself looks at its processes immediately before: a Worker that may be of this runner, or processes that are hidden, refuse
 *   everything; a Listener refuses every change to a folder, and another Listener than the planned one is a conflict.
 * - Root, work folder and folder are the planned ones by device and inode, none of them is a symlink, and the root is declared without one.
 * - Nothing outside of the folder changes: no symlink is followed, no other file system entered, and a mount in the folder refuses.
 * - The account's rights are looked at first: where they do not reach, nothing is begun.
 * - An act is tried once.
 */
export interface HostActs {
  treatFolder(host: RunnerHost, target: FolderTarget, signal: AbortSignal): Promise<HostAnswer>
  controlService(host: RunnerHost, target: ServiceTarget, signal: AbortSignal): Promise<HostAnswer>
}
