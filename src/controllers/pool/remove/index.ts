export { type RemoveDeps, type Removed, removeIdle } from './remove-idle.ts'
