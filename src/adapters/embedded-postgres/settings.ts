export type Settings = Readonly<Record<string, string>>

/** The server's settings: durable first, sized for a ledger on a laptop or one virtual machine. */
export const ledgerSettings: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  max_connections: '60',

  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'pglz',
  wal_level: 'minimal', // no replica ever reads this log
  max_wal_senders: '0',
  max_wal_size: '512MB',
  min_wal_size: '80MB',

  shared_buffers: '128MB',
  work_mem: '8MB',
  jit: 'off', // short statements: compiling costs more than it saves
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  random_page_cost: '1.1',
  // A queue's rows die young: clean up early, or claims wade through dead ones.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',

  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  logging_collector: 'off', // we read stderr, and so still have the last words when the disk is full
  // Statements and row values may hold secrets; the client gets them in its error, the log does not.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

/** Settings as arguments of the postgres program. */
export function settingArguments(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
