/**
 * What was found before it was locked had changed when the lock was there. Its code is that of a serialization
 * failure, so that the transaction is rolled back and run again like any other lost race.
 */
export class RowsMoved extends Error {
  readonly code = '40001'

  constructor(what: string) {
    super(`${what} changed before it was locked`)
  }
}
