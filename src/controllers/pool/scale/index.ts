export { type ScaleDeps, scaleLoop } from './controller.ts'
