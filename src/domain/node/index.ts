export {
  type NodeStarts,
  type Quarantine,
  quarantine,
  quarantineWindowMs,
  type StartFailure,
  type StartSuccess,
} from './quarantine.ts'
