import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** A longer line is cut into several: nobody's memory may be filled by a job that prints no line end. */
const lineLengthMax = 16_384

/** Calls back with each line of a stream; resolves when the stream has ended. */
export async function eachLine(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (text: string): void => {
    rest += text
    for (let at = nextCut(rest); at !== null; at = nextCut(rest)) {
      onLine(rest.slice(0, at.end).replace(/\r$/, ''))
      rest = rest.slice(at.next)
    }
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) take(decoder.write(chunk))
  } catch {
    // The stream was closed under us: what came before counts.
  }
  take(decoder.end())
  if (rest !== '') onLine(rest)
}

function nextCut(text: string): { readonly end: number; readonly next: number } | null {
  const end = text.indexOf('\n')
  if (end >= 0 && end <= lineLengthMax) return { end, next: end + 1 }
  return text.length > lineLengthMax ? { end: lineLengthMax, next: lineLengthMax } : null
}
