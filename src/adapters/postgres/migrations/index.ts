export { grantTo, ownsLedger } from './grant.ts'
export { type Migrated, type MigrateOptions, migrate } from './migrate.ts'
