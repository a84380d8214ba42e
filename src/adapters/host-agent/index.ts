export { createKernelFiles } from './kernel-files.ts'
export { openKernelLog } from './kernel-log.ts'
export { openRingFiles } from './ring-files.ts'
export { createRingPush } from './ring-push.ts'
