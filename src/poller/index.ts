export { type PollerOptions, pollerCommand } from './command.ts'
