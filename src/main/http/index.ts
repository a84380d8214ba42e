export { httpDeps } from './http-deps.ts'
