export { mapBounded } from './map-bounded.ts'
export { redirectsMax, redirectTarget } from './redirect.ts'
