export { configured } from './openers.ts'
export { up } from './up.ts'
