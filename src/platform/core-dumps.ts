import { readFileSync, writeFileSync } from 'node:fs'

/** Which memory of a process the kernel writes into its core file; Linux only. Children inherit it, also across exec. */
const filterFile = '/proc/self/coredump_filter'
const nothing = '0'
/** The kernel's default: anonymous memory, ELF headers, private huge pages. */
const usual = '0x33'

/**
 * Keeps the memory of this process and of its children out of core files: it has tokens, keys and the environment. Node can
 * lower no limit of its own process, and a core file that is piped to a program has none.
 */
export function keepMemoryOutOfCoreFiles(): void {
  write(nothing)
}

/** Starts a child whose core files are whole, as those of any program: jobs may need them. */
export function withWholeCoreFiles<Child>(start: () => Child): Child {
  const own = read()
  if (own === null) return start()
  write(usual)
  try {
    return start() // the child is forked before this returns
  } finally {
    write(`0x${own}`)
  }
}

function read(): string | null {
  try {
    return readFileSync(filterFile, 'utf8').trim()
  } catch {
    return null // not Linux
  }
}

function write(value: string): void {
  try {
    writeFileSync(filterFile, value)
  } catch {
    // not Linux, or a /proc that nobody may write to: the limit of the service manager is left
  }
}
