export { type Cli, createCli } from './create-cli.ts'
export type { CliDeps, ForeignOrder, Newest, Output, Roles, ServingAt } from './deps.ts'
export { runCli } from './run.ts'
