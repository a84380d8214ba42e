import { type Remedy, type WorkdirFacts, workdirRemediate } from '../../domain/remedy/index.ts'
import { othersVersion } from '../../domain/workdir/index.ts'
import type { Treatment } from '../treatment.ts'
import { type LookDeps, lookAt } from './look.ts'

/** `workdir remediate` on one host: one folder is emptied or unlocked. */
export function workdirTreatment(
  deps: LookDeps,
  remedy: Remedy<WorkdirFacts> = workdirRemediate,
): Treatment<WorkdirFacts> {
  const { host, acts, digest } = deps
  return {
    remedy,
    readFresh: (_, signal) => lookAt(deps, signal),
    act: ({ target }, signal) => acts.treatFolder(host, target, signal),
    async isDone({ name, target }, signal) {
      const { facts, judgement } = await lookAt(deps, signal)
      const found = facts.top.find((each) => each.name === name)
      if (facts.cuts.length > 0 || facts.folder.kind !== 'folder') return false
      if (found === undefined) return true
      const verdict = judgement.folders.find((each) => each.name === name)?.verdict
      return target.mode === 'remove' ? found.isEmpty : verdict === 'healthy' || verdict === 'drift'
    },
    async readAfter({ name }, signal) {
      const look = await lookAt(deps, signal)
      return { ...look, others: othersVersion(look.facts, name, digest) }
    },
    ends: () => [{ subject: host.name, read: (signal) => lookAt(deps, signal) }],
    texts: {
      toDo: ({ target, uid }) =>
        `to be ${target.mode === 'remove' ? 'emptied' : 'unlocked'} now, as folder ${uid} of a drained host`,
      done: 'the host went through the folder',
      verified: 'the folder is in order, the others are unchanged, and no Worker appeared',
      proven: 'the folder is in order, and the host is still drained: start it, and run the job again',
    },
  }
}
