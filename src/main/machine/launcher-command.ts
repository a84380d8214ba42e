import { realpathSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../../platform/config/index.ts'

const launcher = fileURLToPath(new URL('../../../bin/holdfast', import.meta.url))
/** npm puts these before the PATH of what it runs; a terminal does not have them. */
const npmFolder = /node_modules\/\.bin\/?$/

/** How a terminal calls this program: by its name where the PATH leads to it, else by the launcher's whole path. */
export function launcherCommand({ PATH = '' }: Environment): string {
  const folders = PATH.split(path.delimiter).filter((folder) => folder !== '' && !npmFolder.test(folder))
  const first = folders.map((folder) => resolved(path.join(folder, 'holdfast'))).find((file) => file !== null)
  if (first !== undefined && first === resolved(launcher)) return 'holdfast'
  return /^[\w/.@+-]+$/.test(launcher) ? launcher : `'${launcher.replaceAll("'", `'\\''`)}'`
}

function resolved(file: string): string | null {
  try {
    return realpathSync(file)
  } catch {
    return null // not there
  }
}
