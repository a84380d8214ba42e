export { createGroups, planGroups } from './create.ts'
export { killGroup, membersOf } from './members.ts'
export { prepareCgroups, reportOf } from './prepare.ts'
export { readMemoryEnd, readUsage, type Usage } from './read.ts'
export { removeGroup, removeIfEmpty } from './remove.ts'
export {
  type CgroupReport,
  type Limits,
  type Prepared,
  type RunnerGroups,
  uniqueFolders,
} from './types.ts'
