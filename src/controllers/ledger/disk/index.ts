export { type DiskDeps, diskLoop } from './controller.ts'
export { createRoom, type RoomBoard } from './room.ts'
