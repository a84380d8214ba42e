export { canaryGates } from './canary.ts'
export { type Caps, capsText, frozenCaps, restoredCaps, sameCaps } from './caps.ts'
export {
  type ApplyEvent,
  type ApplyState,
  applyAfter,
  applyMoves,
  applyStates,
  isApplyEnded,
  isApplyRefusal,
} from './machine.ts'
export { applyProofs } from './proofs.ts'
export { isSettled, type Quiet, quietOf, staleRunners } from './quiet.ts'
export {
  type ApplyLimits,
  type ApplyRecord,
  applyRecordVersion,
  type CommandEnd,
  commandEndText,
  commandSummary,
  endedWell,
  isUnfinished,
  owedSets,
  type ProcessMark,
  type ScopedSet,
} from './record.ts'
export { type CommandWord, resumptionOf } from './resume.ts'
