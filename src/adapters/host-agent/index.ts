export { createKernelFiles } from './kernel-files.ts'
export { openKernelLog } from './kernel-log.ts'
export { openRingFiles } from './ring-files.ts'
export { createRingPush, type RingPushOptions } from './ring-push.ts'
