export { HoldfastError, isError } from './error.ts'
export { type ErrorCode, type ErrorEntry, type ErrorParams, errorTable, exitCodes } from './table.ts'
