import type { RunnerProcess } from '../../workdir/index.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { HostLook } from './facts.ts'

/** No job runs there, as far as all processes of the host show. */
export const noWorker: Gate<HostLook> = {
  name: 'no-worker',
  why: 'A Worker is a job: what it uses is not touched.',
  judge(look) {
    if (!look.facts.areProcessesWhole) return fail('not all processes of the host can be seen')
    const workers = processesOf(look, 'worker')
    return workers.length === 0
      ? pass('no Runner.Worker that may be of this runner, before and after the folders were read')
      : fail(`Runner.Worker ${workers.map(pidText).join(', ')}: a job may be running`)
  },
}

/** Nothing takes jobs there. */
export const drained: Gate<HostLook> = {
  name: 'drained',
  why: 'A Listener may get a job at any time.',
  judge(look) {
    if (!look.facts.areProcessesWhole) return fail('not all processes of the host can be seen')
    const listeners = processesOf(look, 'listener')
    return listeners.length === 0
      ? pass('no Runner.Listener that may be of this runner')
      : fail(`Runner.Listener ${listeners.map(pidText).join(', ')}: drain the host first`)
  },
}

/** The runner takes jobs again. */
export const listening: Gate<HostLook> = {
  name: 'listening',
  why: 'A service that was started and has no Listener takes no jobs.',
  judge(look) {
    const here = processesOf(look, 'listener').filter(({ place }) => place === 'here')
    return here.length > 0
      ? pass(`Runner.Listener ${here.map(pidText).join(', ')}`)
      : fail('no Runner.Listener of this root')
  },
}

/** Processes that are of this runner, or may be, in the order of their numbers. */
export function processesOf({ facts }: HostLook, role: RunnerProcess['role']): readonly RunnerProcess[] {
  return facts.processes
    .filter((each) => each.role === role && each.place !== 'elsewhere')
    .toSorted((a, b) => a.pid - b.pid)
}

function pidText({ pid, place }: RunnerProcess): string {
  return place === 'here' ? `${pid}` : `${pid}, which may be of this runner`
}
