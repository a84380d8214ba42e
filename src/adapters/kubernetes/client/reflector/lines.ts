import { Buffer } from 'node:buffer'

/** No object in a cluster is larger; a line that goes on is not from an API server. */
const defaultLineBytesMax = 16 * 1024 * 1024
const newlineByte = 10

/** The whole lines of a stream of bytes; what follows the last newline was cut off and is dropped. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax = defaultLineBytesMax,
): AsyncGenerator<string> {
  let begun: Uint8Array[] = []
  let begunBytes = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(newlineByte); end !== -1; end = chunk.indexOf(newlineByte, from)) {
      const rest = chunk.subarray(from, end)
      const whole = begun.length === 0 ? rest : Buffer.concat([...begun, rest])
      begun = []
      begunBytes = 0
      from = end + 1
      if (whole.length > 0) yield textOf(whole)
    }
    if (from === chunk.length) continue
    begun.push(chunk.subarray(from))
    begunBytes += chunk.length - from
    if (begunBytes > lineBytesMax) throw new Error(`a line is longer than ${lineBytesMax} bytes`)
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
