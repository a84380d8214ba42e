export { type Dialect, verifyWebhook } from './verify.ts'
