export { isPlanHash, planOfHash } from './plan-of-hash.ts'
export { headSchema, rowSchema } from './schemas.ts'
