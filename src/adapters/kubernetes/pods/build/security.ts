import type { SecurityContext } from '../pod.ts'
import { defaultUser, type RunnerUser } from './user.ts'

const nothingMore = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
} as const

/** Of the pod: what containers do not say themselves, the template's own ones among them. */
export const podSecurity: SecurityContext = {
  runAsUser: defaultUser.uid,
  runAsGroup: defaultUser.gid,
  runAsNonRoot: true,
  fsGroup: defaultUser.fsGroup,
  seccompProfile: { type: 'RuntimeDefault' },
}

/** A template may loosen it deliberately, such as for `sudo` in a job. */
export const runnerSecurity: SecurityContext = nothingMore

/**
 * Whole, so that nothing that a template says of the pod reaches the poller but its user. Where a template makes the
 * runner root, the poller is root as well (see `runnerUserOf`), still without any capability and without a file to write.
 */
export function pollerSecurity({ uid, gid }: RunnerUser): SecurityContext {
  return {
    ...nothingMore,
    ...(uid !== null && { runAsUser: uid }),
    ...(gid !== null && { runAsGroup: gid }),
    runAsNonRoot: uid !== null && uid !== 0,
    privileged: false,
    readOnlyRootFilesystem: true,
    seccompProfile: { type: 'RuntimeDefault' },
  }
}

/**
 * A Docker daemon needs the node's kernel nearly whole: who may use it can take the node, unless a runtime class
 * (Kata, gVisor) puts a wall around the pod.
 */
export const daemonSecurity: SecurityContext = {
  privileged: true,
  runAsUser: 0,
  runAsGroup: 0,
  runAsNonRoot: false,
}
