import { HoldfastError } from '../domain/errors/index.ts'

/** A command that was not understood, and why. */
export function usage(problem: string): HoldfastError {
  return new HoldfastError('E_USAGE', { problem })
}
