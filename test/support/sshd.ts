import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { SshTarget } from '../../src/domain/workdir/index.ts'
import { freePort } from '../../src/main/machine/free-port.ts'
import { findProgram, installPackages } from './debian.ts'

const run = promisify(execFile)

/** The server and the client of Debian. */
export async function installSsh(): Promise<void> {
  const found = await Promise.all(['sshd', 'ssh', 'ssh-keygen'].map(findProgram))
  if (found.includes(null)) await installPackages(['openssh-server', 'openssh-client'], console.log)
}

export interface Sshd extends AsyncDisposable {
  /** The account of this test, by a key that was made for it. */
  readonly target: SshTarget
}

/** A real sshd on this machine, with keys and settings of its own in `folder`. `command` runs what clients ask for. */
export async function startSshd(folder: string, command: string): Promise<Sshd> {
  const at = (name: string): string => path.join(folder, name)
  const port = await freePort('127.0.0.1')
  for (const name of ['host_key', 'identity']) await makeKey(at(name))
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true }) // where a root's sshd confines strangers
  const settings = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: at('host_key'),
    PidFile: 'none',
    AuthorizedKeysFile: at('identity.pub'),
    StrictModes: 'no', // the folder is in /tmp
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    PermitRootLogin: 'prohibit-password',
    ForceCommand: command,
  }
  await writeFile(
    at('sshd_config'),
    Object.entries(settings)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  )
  await writeFile(at('known_hosts'), await knownHost(port, at('host_key.pub')))
  const child = spawn((await findProgram('sshd')) as string, ['-D', '-e', '-f', at('sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'exit')
  while (child.exitCode === null && !(await answers(port))) await setTimeout(50)
  if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${errors}`)
  return {
    target: {
      address: '127.0.0.1',
      port,
      user: userInfo().username,
      knownHosts: at('known_hosts'),
      identityFile: at('identity'),
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

export async function makeKey(file: string): Promise<void> {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'of a test', '-f', file])
}

/** A line of known_hosts. */
export async function knownHost(port: number, publicKeyFile: string): Promise<string> {
  return `[127.0.0.1]:${port} ${await readFile(publicKeyFile, 'utf8')}`
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}
