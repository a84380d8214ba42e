export { grantTo, ownsLedger } from './grant.ts'
export { type Migrated, migrate } from './migrate.ts'
