export { type OpenReap, type ReapMode, type ReapSource, reapLoop } from './controller.ts'
