export { checkPorts, portProblems, type WantedPort } from './check-ports.ts'
export { holderOf } from './port-holder.ts'
