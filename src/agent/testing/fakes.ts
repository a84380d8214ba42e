import type { HostSamples } from '../../domain/death/index.ts'
import type { KernelFiles, KernelLog, Pushed, RingPush, SampleFiles } from '../../ports/host-agent.ts'

/** For tests: a tree of files in memory, from `/` on. An open file of a folder that was removed cannot be read. */
export class FakeKernelFiles implements KernelFiles {
  readonly #texts = new Map<string, string>()
  #children: Map<string, Set<string>> | null = null
  readonly unlistable = new Set<string>()
  opened = 0
  free: { freeBytes: number; freeInodes: number } | null = { freeBytes: 5_000, freeInodes: 60 }

  put(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) this.#texts.set(`/${name}`, text)
    this.#children = null
  }

  removeFolder(name: string): void {
    for (const path of this.#texts.keys()) if (path.startsWith(`/${name}/`)) this.#texts.delete(path)
    this.#children = null
  }

  folders(path: string): readonly string[] | null {
    if (this.unlistable.has(path)) return null
    this.#children ??= childrenOf(this.#texts.keys())
    return [...(this.#children.get(path) ?? [])]
  }

  folderCount(path: string): number | null {
    return this.folders(path)?.length ?? null
  }

  open(path: string) {
    if (!this.#texts.has(path)) return null
    this.opened += 1
    return {
      read: () => this.#texts.get(path) ?? null,
      close: () => {
        this.opened -= 1
      },
    }
  }

  space() {
    return this.free
  }
}

function childrenOf(paths: Iterable<string>): Map<string, Set<string>> {
  const children = new Map<string, Set<string>>()
  for (const path of paths) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length - 1; depth += 1) {
      const folder = parts.slice(0, depth).join('/') || '/'
      const names = children.get(folder) ?? new Set()
      children.set(folder, names.add(parts[depth] as string))
    }
  }
  return children
}

/** For tests: a kernel log whose records the test writes. */
export class FakeKernelLog implements KernelLog {
  readonly records: string[] = []
  lost = 0
  missing: string | null = null
  next(limit: number): readonly string[] {
    return this.records.splice(0, limit)
  }
  close(): void {}
}

/** For tests: files in memory, which a second agent finds. */
export class FakeRingFiles implements SampleFiles {
  readonly texts = new Map<string, string>()
  missing: string | null = null
  load() {
    return [...this.texts].map(([podUid, text]) => ({ podUid, text }))
  }
  append(podUid: string, text: string): void {
    this.texts.set(podUid, (this.texts.get(podUid) ?? '') + text)
  }
  replace(podUid: string, text: string): void {
    this.texts.set(podUid, text)
  }
  remove(podUid: string): void {
    this.texts.delete(podUid)
  }
}

/** For tests: a server with scripted answers; by default it accepts everything. */
export class FakePush implements RingPush {
  readonly tries: HostSamples[] = []
  readonly answers: Pushed[] = []
  async push(ring: HostSamples): Promise<Pushed> {
    this.tries.push(ring)
    return this.answers.shift() ?? { kind: 'taken' }
  }
}
