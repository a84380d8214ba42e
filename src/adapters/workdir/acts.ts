import { HoldfastError } from '../../domain/errors/index.ts'
import { isPlainName, isPlainPath, type RunnerHost } from '../../domain/workdir/index.ts'
import type { HostActs, HostAnswer } from '../../ports/host-acts.ts'
import { actCommand, actFormatName, folderInput, serviceInput } from './act-script.ts'
import { bounds } from './bounds.ts'
import { runProgram } from './run-program.ts'
import { isSafe, type SshDeps, sshArguments } from './ssh.ts'

/** Changes hosts by one script: with the system's ssh client, or in a shell of this machine. */
export function createHostActs(deps: SshDeps): HostActs {
  const run = async (host: RunnerHost, input: string, signal: AbortSignal): Promise<HostAnswer> => {
    signal.throwIfAborted()
    const ran = await runProgram(
      deps,
      {
        ...(host.ssh === null
          ? { program: 'sh', args: ['-c', actCommand] }
          : { program: deps.program, args: sshArguments(host.ssh, actCommand) }),
        input,
        maxMs: bounds.actMaxMs,
      },
      signal,
    )
    if (ran.kind === 'failed') {
      if (!ran.isBegun) throw refused(host, ran.why)
      return 'unknown'
    }
    return answerOf(host, ran.answer.toString('latin1'))
  }
  return {
    async treatFolder(host, target, signal) {
      const { folder, ids, ownerUid } = target
      const isOwn = isPlainName(folder) && !folder.startsWith('_')
      if (!isDeclaredSafely(host) || !isOwn || !Object.values(ids).every(isId) || !isUid(ownerUid))
        throw refused(host, 'it is not named in a form that is safe to use')
      return run(host, folderInput(host, target), signal)
    },
    async controlService(host, target, signal) {
      const { service } = host
      if (service === null) throw refused(host, 'its service is not declared')
      const isNamed = service.kind !== 'systemd' || isPlainName(service.unit)
      if (!isDeclaredSafely(host) || !isNamed || !isId(target.rootId) || !target.listeners.every(isUid))
        throw refused(host, 'it is not declared in a form that is safe to use')
      return run(host, serviceInput(host, target), signal)
    },
  }
}

function isDeclaredSafely(host: RunnerHost): boolean {
  return host.ssh === null ? isPlainPath(host.root) && isPlainName(host.workFolder) : isSafe(host, host.ssh)
}

function isId(id: string): boolean {
  return /^\d{1,20}:\d{1,20}$/.test(id)
}

function isUid(uid: number): boolean {
  return Number.isSafeInteger(uid) && uid >= 0
}

/** An answer of another form may be that of a session which was cut in the middle. */
function answerOf(host: RunnerHost, text: string): HostAnswer {
  const [format, status = '', end, rest, ...more] = text.split('\0')
  if (format !== actFormatName || end !== 'END' || rest !== '' || more.length > 0) return 'unknown'
  if (status === 'done' || status === 'gone' || status === 'conflict') return status
  const reason = /^refused ([a-z-]+)$/.exec(status)?.[1]
  if (reason !== undefined) throw refused(host, reasons[reason] ?? reason)
  const [, code, words = ''] = /^failed (\d{1,3}) (.*)$/s.exec(status) ?? []
  if (code !== undefined) throw refused(host, `the service's command ended with ${code}${wordsOf(words)}`)
  return 'unknown'
}

const reasons: Readonly<Record<string, string>> = {
  tools: 'it has no GNU find, no timeout or no setpriv',
  processes: 'not all of its processes can be seen, so a Worker may be at work',
  worker: 'a Runner.Worker is or may be at work',
  listener: 'its Runner.Listener runs and may get a job at any time: drain it first',
  symlink: 'there is a symlink on the way to the folder',
  mount: 'something is mounted on the folder or in it',
  rights: 'the account lacks the rights: it takes root, or the owner of every directory in the folder',
  script:
    'svc.sh or its folder can be written by another account than the one that would run it: declare its systemd unit instead',
  'script-missing': 'there is no svc.sh in its root, or it is a symlink',
}

const wordsCharsMax = 200

function wordsOf(words: string): string {
  const plain = words
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, wordsCharsMax)
  return plain === '' ? '' : `: ${plain}`
}

function refused({ name }: RunnerHost, why: string): HoldfastError {
  return new HoldfastError('E_HOST_REFUSED', { host: name, why })
}
