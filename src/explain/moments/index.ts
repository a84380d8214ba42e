export { type Moment, moment } from './moment.ts'
export { endingMoments, eventMoments, howEnded } from './of-ending.ts'
export { forgeMoments, ledgerMoments } from './of-ledger.ts'
export { ringMoments } from './of-ring.ts'
