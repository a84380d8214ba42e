const blockBytes = 512
const nameBytesMax = 100
/** The part of a longer name up to a slash goes into the prefix field. */
const prefixBytesMax = 155

/** One entry of an archive; owned by root, of the same date always, so that equal images have equal digests. */
export type Entry =
  | { readonly kind: 'folder'; readonly path: string; readonly mode?: number }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly content: Buffer | string
      readonly mode?: number
    }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }

const types = { file: '0', link: '2', folder: '5' } as const
const modes = { file: 0o644, link: 0o777, folder: 0o755 } as const

/** A tar archive in the POSIX format. */
export function tar(entries: readonly Entry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * blockBytes)])
}

function blocksOf(entry: Entry): Buffer[] {
  const content = entry.kind === 'file' ? Buffer.from(entry.content) : Buffer.alloc(0)
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
  return [headerOf(entry, content.length), content, padding]
}

function headerOf(entry: Entry, size: number): Buffer {
  const { prefix, name } = split(entry.kind === 'folder' ? `${entry.path}/` : entry.path)
  const target = entry.kind === 'link' ? entry.target : ''
  for (const text of [name, target]) {
    if (Buffer.byteLength(text) > nameBytesMax)
      throw new Error(`${text}: expected at most ${nameBytesMax} bytes`)
  }
  const mode = (entry.kind === 'link' ? undefined : entry.mode) ?? modes[entry.kind]
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0)
  header.write(octal(mode, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write(types[entry.kind], 156)
  header.write(target, 157)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

function split(whole: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(whole) <= nameBytesMax) return { prefix: '', name: whole }
  const slash = whole.lastIndexOf('/', prefixBytesMax)
  return { prefix: whole.slice(0, slash), name: whole.slice(slash + 1) }
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
