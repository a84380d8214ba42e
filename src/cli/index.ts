export { type Cli, createCli } from './create-cli.ts'
export type {
  CliDeps,
  ForeignOrder,
  Newest,
  Output,
  Roles,
  ServingAt,
  UninstallOrder,
  UninstallReport,
  UninstallStep,
} from './deps.ts'
export { runCli } from './run.ts'
