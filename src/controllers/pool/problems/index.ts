export { poolProblemsLoop } from './controller.ts'
