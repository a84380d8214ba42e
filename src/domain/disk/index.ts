export {
  type DiskState,
  diskStates,
  freeAgainBytes,
  fullBelowBytes,
  judgeDisk,
  reserveBytes,
  type Space,
  spaceText,
} from './judge.ts'
