export { type Migrated, type MigrateOptions, migrate } from './migrate.ts'
