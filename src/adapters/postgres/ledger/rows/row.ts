import { HoldfastError, isError } from '../../../../domain/errors/index.ts'

/** A row as the driver gives it: times are epoch milliseconds, bigints are numbers. */
export type Row = Readonly<Record<string, unknown>>

/** A column whose values this program knows by name. What it does not know is an error that says where it stands. */
export function oneOf<T extends string>(
  expected: readonly T[],
  got: unknown,
  where: { readonly table: string; readonly id: number; readonly column: string },
): T {
  if ((expected as readonly unknown[]).includes(got)) return got as T
  throw new HoldfastError('E_LEDGER_ROW', { ...where, got: String(got), expected })
}

/** Whether reading a row's columns threw this, and not the server: another version wrote the row, or somebody by hand. */
export function isOfRow(error: unknown): boolean {
  return isError(error, 'E_LEDGER_ROW') || isError(error, 'E_BUG')
}
