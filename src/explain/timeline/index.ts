export { forgeEntries, ledgerEntries } from './of-ledger.ts'
export { sampleEntries } from './of-samples.ts'
