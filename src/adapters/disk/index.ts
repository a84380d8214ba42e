export { createDisk } from './disk.ts'
