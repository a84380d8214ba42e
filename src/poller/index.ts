export { pollerCommand } from './command.ts'
