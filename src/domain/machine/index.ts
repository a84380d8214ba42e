export { diagram } from './diagram.ts'
export {
  isRefusal,
  type Moves,
  nextState,
  type Refusal,
} from './machine.ts'
export { netMoves } from './net-moves.ts'
