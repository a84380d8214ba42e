import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

const progressEveryMs = 10_000
const complaintLinesMax = 20

/** A program of a Go module whose go.mod pins it. */
export interface GoProgram {
  /** The folder of go.mod. */
  readonly module: string
  readonly package: string
  readonly to: string
  readonly flags?: readonly string[]
  readonly cgo?: boolean
}

/** The cache of built programs, outside of the checkout. */
export function cacheFolder(name: string): string {
  return path.join(process.env.HOLDFAST_CACHE_DIR ?? path.join(homedir(), '.cache', 'holdfast'), name)
}

/** The version of a module that go.mod in this folder requires, without its v. */
export async function pinnedVersion(folder: string, module: string): Promise<string> {
  const file = path.join(folder, 'go.mod')
  const prefix = `${module} v`
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const at = line.replace(/^require /, '').trim()
    if (at.startsWith(prefix)) return at.slice(prefix.length).split(' ')[0] ?? ''
  }
  throw new Error(`${file}: expected a line "require ${prefix}…"`)
}

/** Builds a program whole or not at all, and says how far it is; of two builders at once the later wins. */
export async function buildGo(program: GoProgram, say: (line: string) => void): Promise<void> {
  await mustHave('go', ['version'], 'Install Go (https://go.dev/dl): this test builds the programs it needs.')
  const name = path.basename(program.to)
  const unfinished = path.join(path.dirname(program.to), `.${name}.${process.pid}`)
  await mkdir(path.dirname(program.to), { recursive: true })
  try {
    await compile({ ...program, to: unfinished }, name, say)
    await rename(unfinished, program.to)
  } finally {
    await rm(unfinished, { force: true })
  }
}

async function compile(program: GoProgram, name: string, say: (line: string) => void): Promise<void> {
  const args = ['build', '-v', '-trimpath', '-buildvcs=false', ...(program.flags ?? [])]
  const child = spawn('go', [...args, '-o', program.to, program.package], {
    cwd: program.module,
    env: { ...process.env, CGO_ENABLED: program.cgo ? '1' : '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const began = performance.now()
  let packages = 0
  let last: string[] = []
  const printProgress = (): void => {
    const seconds = Math.round((performance.now() - began) / 1000)
    say(`building ${name}: ${packages} packages after ${seconds} s`)
  }
  const timer = setInterval(printProgress, progressEveryMs)
  createInterface({ input: child.stderr }).on('line', (line) => {
    packages += 1
    last = [...last.slice(1 - complaintLinesMax), line]
  })
  const [code] = await once(child, 'close').finally(() => clearInterval(timer))
  if (code !== 0) throw new Error(`go build ${program.package} ended with ${code}:\n${last.join('\n')}`)
}

/** Throws with this hint where a program does not run. */
export async function mustHave(program: string, args: string[], hint: string): Promise<void> {
  await run(program, args).catch((error: unknown) => {
    throw new Error(`\`${program}\` does not run here. ${hint}`, { cause: error })
  })
}

/** Runs a command to its end and gives what it wrote; throws with its complaint where it fails. */
export async function run(program: string, args: readonly string[], cwd?: string): Promise<string> {
  const child = spawn(program, args, { ...(cwd && { cwd }), stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  let complaint = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${complaint.slice(-500)}`)
  return text
}

/** Whether a file is there. */
export async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
