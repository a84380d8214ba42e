import { countCallSites } from './call-sites.ts'

/** Imported before the adapter is, so that its every block is counted from the first. */
export const adapterSites = countCallSites('/src/adapters/github/')
