export {
  type DiskState,
  freeAgainBytes,
  fullBelowBytes,
  judgeDisk,
  reserveBytes,
  spaceText,
} from './judge.ts'
