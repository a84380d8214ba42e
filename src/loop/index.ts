export { eachApart } from './each-apart.ts'
export { createLanes, type Lanes } from './lanes.ts'
export { createLastInLine, type LastInLine } from './last-in-line.ts'
export {
  again,
  createDoorbell,
  type Doorbell,
  done,
  type Loop,
  type LoopDeps,
  type Outcome,
  runLoop,
} from './loop.ts'
export { createTurns, type Turns, turnsMax } from './turns.ts'
