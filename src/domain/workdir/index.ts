export { workdirClasses } from './classes.ts'
export type {
  EntryKind,
  FolderSpace,
  HostReading,
  NotableEntry,
  RunnerProcess,
  TopEntry,
  WorkFolderFacts,
  WorkFolderState,
} from './facts.ts'
export { failingLineOf, originOf } from './failing-line.ts'
export { foldersOf, isGitLock } from './folder.ts'
export {
  isHostAddress,
  isPlainName,
  isPlainPath,
  placeOf,
  type RunnerHost,
  type SshTarget,
  workFolderOf,
} from './host.ts'
export { type HostJudgement, judgeHost } from './judge.ts'
export { type Located, locate } from './locate.ts'
export { nextStep } from './next-step.ts'
export {
  type FolderMode,
  type FolderTarget,
  folderModes,
  type ServiceTarget,
} from './target.ts'
export { othersVersion, workFolderVersion } from './version.ts'
