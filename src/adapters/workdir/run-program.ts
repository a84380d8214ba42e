import { spawn } from 'node:child_process'
import { systemCodeOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import { outputBytesMax } from './bounds.ts'

/** How a program is called: its input is all that depends on a host. */
interface Call {
  readonly program: string
  readonly args: string[]
  readonly input: string
  readonly maxMs: number
}

interface RunDeps {
  readonly clock: Clock
  readonly env: Readonly<Record<string, string | undefined>>
}

type Ran =
  | { readonly kind: 'answered'; readonly answer: Buffer }
  | {
      readonly kind: 'failed'
      readonly why: string
      readonly needs: string | null
      /** Whether the host may have begun with what it was asked. */
      readonly isBegun: boolean
    }

const errorBytesMax = 16 * 1024

/** Runs ssh, or a shell of this machine, within bounds of time and output. */
export function runProgram(
  { clock, env }: RunDeps,
  { program, args, input, maxMs }: Call,
  signal: AbortSignal,
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...env, LC_ALL: 'C' }, signal, killSignal: 'SIGKILL' })
    const chunks: Buffer[] = []
    let [bytes, errors, stopped, isBegun] = [0, '', null as string | null, true]
    const stop = (why: string): void => {
      stopped ??= why
      child.kill('SIGKILL')
    }
    const cancel = clock.after(maxMs, () => stop(`no whole answer in ${maxMs / 1000} s`))
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > outputBytesMax) stop('its answer is larger than any that it may give')
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString('latin1')).slice(-errorBytesMax)
    })
    child.stdin.on('error', () => {}) // it ended before it read all: its exit code says why
    child.on('error', (error) => {
      if (systemCodeOf(error) === 'ENOENT') {
        stopped ??= `there is no program ${program} on this machine`
        isBegun = false
      } else stopped ??= error.message
    })
    child.on('close', (code) => {
      cancel()
      if (stopped !== null) resolve({ kind: 'failed', why: stopped, needs: null, isBegun })
      else if (code === 0) resolve({ kind: 'answered', answer: Buffer.concat(chunks) })
      else resolve(failure(code, errors))
    })
    child.stdin.end(input)
  })
}

/** Sentences of ssh about itself, what they mean, and what would help. */
const knownFailures: readonly (readonly [RegExp, string, string])[] = [
  [
    /HOST IDENTIFICATION HAS CHANGED/,
    'its host key is not the one that is known: another machine may answer',
    'a person who compares the key on the host itself',
  ],
  [
    /Host key verification failed|host key is known/,
    'its host key is not known',
    'its key in the file knownHosts, compared on the host itself (ssh-keygen -lf)',
  ],
  [
    /Permission denied/,
    'it accepts none of our keys',
    'our public key in the account’s authorized_keys, or identityFile',
  ],
]

function failure(code: number | null, errors: string): Ran {
  const known = knownFailures.find(([form]) => form.test(errors))
  if (known !== undefined) return { kind: 'failed', why: known[1], needs: known[2], isBegun: false }
  const last = errors.trim().split('\n').at(-1) ?? ''
  const sentence = last
    .replace(/^ssh: /, '')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .slice(0, 300)
  return {
    kind: 'failed',
    why: sentence === '' ? `ssh ended with ${code}` : `ssh says: ${sentence}`,
    needs: null,
    isBegun: !/^ssh: (?:connect to host|Could not resolve)/.test(last),
  }
}
