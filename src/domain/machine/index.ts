export { diagram } from './diagram.ts'
export {
  isRefusal,
  type Moves,
  nextState,
  type Refusal,
  type RefusalReason,
  statesAccepting,
} from './machine.ts'
