import type {
  EntryKind,
  FolderSpace,
  NotableEntry,
  RunnerProcess,
  TopEntry,
  WorkFolderFacts,
  WorkFolderState,
} from '../../domain/workdir/index.ts'
import { bounds } from './bounds.ts'
import { cutTexts } from './cuts.ts'
import { readableName } from './readable-name.ts'
import { formatName } from './script.ts'

/** The answer of the script as facts; a sentence where it is not exactly its form. */
export function parseAnswer(answer: Buffer): WorkFolderFacts | string {
  // Names keep their bytes: each is one character here.
  const tokens = new Tokens(answer.toString('latin1').split('\0'))
  try {
    return factsOf(tokens)
  } catch (error) {
    if (error instanceof BadAnswer) return error.message
    throw error
  }
}

class BadAnswer extends Error {}

function factsOf(tokens: Tokens): WorkFolderFacts {
  tokens.expect(formatName)
  if (tokens.peek() === 'N') throw new BadAnswer('it has no GNU find or no timeout')
  const [seconds, readerUid] = numbers(tokens.match(/^C(\d{1,12}) (\d{1,10})$/))
  const base = { at: (seconds ?? 0) * 1_000, readerUid: readerUid ?? 0 }
  const folder = folderOf(tokens.match(folderForm))
  if (folder.kind !== 'folder') {
    tokens.end()
    return {
      ...base,
      folder,
      top: [],
      entryCount: 0,
      notable: [],
      cuts: [],
      processes: [],
      areProcessesWhole: false,
      space: null,
    }
  }
  const space = spaceOf(tokens.match(/^S(?:(\d{1,15}) (\d{1,18}) (\d{1,18}) (\d{1,18}) (\d{1,18}))?$/))
  const before = processesOf(tokens)
  const top = topOf(tokens)
  const entries = entriesOf(tokens)
  const after = processesOf(tokens)
  tokens.end()
  return {
    ...base,
    folder,
    space,
    top: top.entries,
    entryCount: entries.count,
    notable: entries.notable,
    cuts: [...new Set([...top.cuts, ...entries.cuts])],
    processes: [...new Map([...before.seen, ...after.seen].map((each) => [each.pid, each])).values()],
    areProcessesWhole: before.isWhole && after.isWhole,
  }
}

const folderForm =
  /^W(?:(missing|symlink|unreadable)|folder (\d{1,10}) (\d{1,20}:\d{1,20}) (\d{1,20}:\d{1,20}) (\/.{0,4095}))$/s

function folderOf([, kind, uid, id = '', rootId = '', root = '']: readonly string[]): WorkFolderState {
  return kind === undefined
    ? { kind: 'folder', uid: Number(uid), id, root: { id: rootId, path: named(root) } }
    : { kind: kind as 'missing' }
}

function spaceOf(match: readonly string[]): FolderSpace | null {
  const [block, total, free, totalInodes, freeInodes] = numbers(match)
  if (block === undefined || total === undefined || free === undefined) return null
  if (totalInodes === undefined || freeInodes === undefined) return null
  return { freeBytes: block * free, totalBytes: block * total, freeInodes, totalInodes }
}

function processesOf(tokens: Tokens): { readonly seen: readonly RunnerProcess[]; readonly isWhole: boolean } {
  const seen: RunnerProcess[] = []
  for (;;) {
    const [, pid, role, uid, place, program = '', whole] = tokens.match(
      /^(?:P(\d{1,10}) (worker|listener) (\d{1,10}) (here|elsewhere|unknown) (.{0,4096})|p([01]))$/s,
    )
    if (pid === undefined) return { seen, isWhole: whole === '1' }
    seen.push({
      pid: Number(pid),
      role: role as RunnerProcess['role'],
      uid: Number(uid),
      place: place as RunnerProcess['place'],
      program: program === '' ? null : named(program),
    })
    if (seen.length > bounds.processesMax) throw new BadAnswer('it names too many processes')
  }
}

const topForm = /^F(\w) (\d{1,20}:\d{1,20}) (-?\d{1,12}(?:\.\d{1,12})?) ([01]) ([^/]{1,255})$/s

function topOf(tokens: Tokens): { readonly entries: readonly TopEntry[]; readonly cuts: readonly string[] } {
  const { items, ended } = tokens.list(/^f(\d{1,3})$/)
  const entries = items.slice(0, bounds.topMax).map((item) => {
    const [, type = '', id = '', changed = '', empty, name = ''] = matched(item, topForm)
    return { name: named(name), kind: kindOf(type), id, changed, isEmpty: empty === '1' }
  })
  return { entries, cuts: [...statusCuts(ended), ...(items.length > bounds.topMax ? [cutTexts.top] : [])] }
}

/** Before each record, a dot for every plain entry, and a slash with its depth for every directory. */
const entryForm =
  /^((?:\.|\/\d{1,3})*)(?:([UE])(\w) (\d{1,10}) ([0-7]{1,5}) (\d{1,3}) (-?\d{1,12})(?:\.\d{1,12})? (.{1,8192}))?$/s

function entriesOf(tokens: Tokens) {
  const { items, ended } = tokens.list(/^Z(\d{1,3})$/)
  const notable: NotableEntry[] = []
  let [count, depth, isUnlisted] = [0, 0, false]
  for (const item of items) {
    const [, plain = '', mark, type = '', uid, mode = '', level, seconds, path = ''] = matched(
      item,
      entryForm,
    )
    for (const [one, own] of plain.matchAll(/\.|\/(\d+)/g)) {
      count += 1
      if (one !== '.') depth = Math.max(depth, Number(own))
    }
    if (mark === undefined) continue
    count += 1
    isUnlisted ||= mark === 'U'
    if (type === 'd') depth = Math.max(depth, Number(level))
    if (notable.length > bounds.notableMax) continue
    notable.push({
      path: named(path),
      kind: kindOf(type),
      uid: Number(uid),
      mode: Number.parseInt(mode, 8),
      modifiedAt: Number(seconds) * 1_000,
      isReadable: mark === 'E',
    })
  }
  const cuts = [
    ...statusCuts(isUnlisted && ended === 1 ? 0 : ended),
    ...(isUnlisted ? [cutTexts.unlisted] : []),
    ...(depth >= bounds.depthMax ? [cutTexts.depth] : []),
    ...(notable.length > bounds.notableMax ? [cutTexts.notable] : []),
  ]
  return { count, notable: notable.slice(0, bounds.notableMax), cuts }
}

const timedOut = 124

/** Null: the list was cut before its end. */
function statusCuts(ended: number | null): readonly string[] {
  if (ended === 0) return []
  if (ended === null) return [cutTexts.size]
  return [ended === timedOut ? cutTexts.time : cutTexts.changed]
}

function kindOf(type: string): EntryKind {
  return ({ d: 'directory', f: 'file', l: 'symlink' } as const)[type] ?? 'other'
}

function named(latin1: string): string {
  return readableName(Buffer.from(latin1, 'latin1'))
}

function numbers([, ...texts]: readonly (string | undefined)[]): readonly (number | undefined)[] {
  return texts.map((text) => (text === undefined ? undefined : Number(text)))
}

function matched(token: string, form: RegExp): readonly string[] {
  const match = form.exec(token)
  if (match === null) throw new BadAnswer('its answer has another form than expected')
  return match
}

/** The tokens of an answer, read from its beginning. */
class Tokens {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  match(form: RegExp): readonly string[] {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new BadAnswer('its answer ends too early')
    return matched(token, form)
  }

  expect(token: string): void {
    if (this.#tokens[this.#at++] !== token) throw new BadAnswer('its answer has another form than expected')
  }

  /** The items up to `X`, without the one that was cut, and the exit code at its end; null: it was cut. */
  list(end: RegExp): { readonly items: readonly string[]; readonly ended: number | null } {
    const stop = this.#tokens.indexOf('X', this.#at)
    if (stop < 0) throw new BadAnswer('its answer ends too early')
    const items = this.#tokens.slice(this.#at, stop)
    this.#at = stop + 1
    if (items.at(-1) === '') items.pop()
    const code = end.exec(items.at(-1) ?? '')?.[1]
    items.pop()
    return { items, ended: code === undefined ? null : Number(code) }
  }

  end(): void {
    this.expect('END')
    this.expect('')
    if (this.#at !== this.#tokens.length) throw new BadAnswer('its answer goes on after its end')
  }
}
