export { countLost } from './count-lost.ts'
export { type IntakeDeps, type Received, receive } from './receive.ts'
export { intakeLoop } from './work.ts'
