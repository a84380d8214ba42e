export {
  type Actor,
  chained,
  emptyHead,
  headOf,
  problemsOf,
  type TrailEntry,
  type TrailHead,
  type TrailRow,
} from './trail.ts'
