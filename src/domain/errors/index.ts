export { type ErrorEntry, type ErrorParams, exitCodes } from './entry.ts'
export { HoldfastError, isError } from './error.ts'
export { isLack } from './lack.ts'
export { type ErrorCode, errorTable } from './table.ts'
