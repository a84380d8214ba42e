import { type ApplyRecord, isUnfinished } from './record.ts'

/** The operator's word about a command whose end nobody noted. */
export type CommandWord = 'rerun' | 'done' | null

/**
 * How an unfinished apply goes on. `go-on`: in its state, whose step may be done again. `ask`: the command may have begun, and
 * only a person can say how it ended: it is never run twice by itself.
 */
export type Resumption = 'go-on' | 'ask' | 'nothing'

export function resumptionOf(record: ApplyRecord, word: CommandWord): Resumption {
  if (!isUnfinished(record)) return 'nothing'
  const isEndUnknown = record.state === 'apply' && record.command.end === null
  return isEndUnknown && word === null ? 'ask' : 'go-on'
}
