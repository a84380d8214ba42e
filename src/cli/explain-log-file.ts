import type { Explanation } from '../api/index.ts'
import { lookBehindBytes, renderTail } from '../domain/tail/index.ts'
import { explainLog, type LogExcerpt } from '../explain/index.ts'
import type { Context } from './context.ts'

const newline = 10
/** More than a death record keeps of a runner's output: the cause may be further up in a whole log. */
const logBounds = { linesMax: 5_000, bytesMax: 256 * 1024 }

/** Explains by a log alone; `-` reads what is piped in. Throws E_LOG_UNREADABLE. */
export async function explainLogFile(file: string, context: Context): Promise<Explanation> {
  return explainLog(await readLogFile(file, context), context.clock.now())
}

/** The newest part of a log, masked; `-` reads what is piped in. Throws E_LOG_UNREADABLE. */
export async function readLogFile(file: string, context: Context): Promise<LogExcerpt> {
  const read = await context.readTail(file, logBounds.bytesMax + lookBehindBytes)
  const text = renderTail(read.bytes, read.isCut, logBounds)
  const lineCount = read.bytes.reduce((count, byte) => (byte === newline ? count + 1 : count), 0)
  const isCut = read.isCut || read.bytes.length > logBounds.bytesMax || lineCount > logBounds.linesMax
  const name = file === '-' ? 'from the input' : file
  return { name, text, isCut, writtenAt: read.writtenAt }
}
