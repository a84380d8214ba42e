export type LogFields = Readonly<Record<string, unknown>>

/** Structured log lines; secrets are redacted behind this port, by key and by pattern. */
export interface Log {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  child(fields: LogFields): Log
}
