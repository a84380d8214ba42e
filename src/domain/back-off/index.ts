export { type BackOff, backOffMs, spreadMs } from './back-off.ts'
