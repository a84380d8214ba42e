export { diskLoop } from './controller.ts'
export { createDiskHeadroom, type DiskHeadroomBoard } from './headroom.ts'
