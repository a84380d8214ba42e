import type { FailingLine, LogOrigin } from './failing-line.ts'
import { isPlainName, type RunnerHost, workFolderOf } from './host.ts'

/** The host and folder to which a failing line leads, or why it leads to none. */
export type Located =
  | { readonly kind: 'found'; readonly host: RunnerHost; readonly folder: string }
  | {
      readonly kind: 'nowhere'
      readonly why: string
      readonly needs: string
      /** By the usual layout `<root>/_work/<repository>/…`; null where the path has another one. */
      readonly folder: string | null
    }

/** From the path in a log, and the runner that wrote it, to a declared host. Hosts with the same path differ by their names only. */
export function locate(line: FailingLine, origin: LogOrigin, hosts: readonly RunnerHost[]): Located {
  const fitting = hosts.filter((host) => line.path.startsWith(`${workFolderOf(host)}/`))
  const [only] = fitting.length > 1 ? fitting.filter(({ name }) => isNamed(name, origin)) : fitting
  const folder = only === undefined ? usualFolder(line.path) : folderBelow(line.path, workFolderOf(only))
  if (only !== undefined && folder !== null) return { kind: 'found', host: only, folder }
  if (fitting.length > 1) {
    const names = fitting.map(({ name }) => name).join(', ')
    const why = `${line.path} fits several hosts (${names}), and the log ${runnerText(origin)}`
    return { kind: 'nowhere', why, needs: 'the whole log: its first lines name the runner', folder }
  }
  const why =
    only === undefined
      ? `no host is declared whose work folder holds ${line.path}`
      : `${line.path} is in no folder of a repository`
  return {
    kind: 'nowhere',
    why,
    needs: 'the host in runnerHosts of the contract file (docs/contract-file.md)',
    folder,
  }
}

function isNamed(name: string, { runnerName, machineName }: LogOrigin): boolean {
  return name === runnerName || name === machineName
}

function folderBelow(path: string, work: string): string | null {
  const [name = ''] = path.slice(work.length + 1).split('/', 1)
  return isPlainName(name) ? name : null
}

function usualFolder(path: string): string | null {
  const name = /\/_work\/([^/]+)\//.exec(path)?.[1]
  return name !== undefined && isPlainName(name) ? name : null
}

function runnerText({ runnerName, machineName }: LogOrigin): string {
  const name = runnerName ?? machineName
  return name === null ? 'names no runner' : `names ${name}, which is none of them`
}
