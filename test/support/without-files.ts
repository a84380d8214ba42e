import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Enough for Node itself, and few enough to be used up at once. */
const filesMax = 64

/**
 * Runs a script in a process of its own: `before`, then `lacking` once every file descriptor is used up (`files` has those
 * to give back). Gives what the second part returns, or the code of what it throws.
 */
export async function withoutFiles(before: string, lacking: string): Promise<unknown> {
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { setTimeout as pause } from 'node:timers/promises'
    ${before}
    const files = []
    try { for (;;) files.push(openSync('/dev/null')) } catch {}
    const code = await (async () => { ${lacking} })().catch((error) => error.code)
    for (const file of files) closeSync(file)
    process.stdout.write(JSON.stringify(code), () => process.exit())`
  const shell = `ulimit -n ${filesMax}; exec "$0" --input-type=module -e "$1"`
  const { stdout } = await promisify(execFile)('sh', ['-c', shell, process.execPath, script])
  return JSON.parse(stdout)
}
