export { checkPorts, portProblems, type WantedPort } from './check-ports.ts'
