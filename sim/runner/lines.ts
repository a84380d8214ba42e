import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A longer line is cut: nobody's memory may be filled by a job that prints none. */
const lineLengthMax = 4_096

/** Calls back with each line of a stream; resolves when the stream has ended. */
export function lineCutter(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (text: string): void => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line.slice(0, lineLengthMax))
    for (; rest.length > lineLengthMax; rest = rest.slice(lineLengthMax)) onLine(rest.slice(0, lineLengthMax))
  }
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)))
    stream.once('error', () => resolve())
    stream.once('close', () => {
      take(decoder.end())
      if (rest !== '') onLine(rest)
      rest = ''
      resolve()
    })
  })
}
