import { type JsonMap, mapOf, mapsOf } from '../json.ts'
import { containers } from '../names.ts'

/** As whom the runner's program runs; null: as its image says. */
export interface RunnerUser {
  readonly uid: number | null
  readonly gid: number | null
  /** Group of the pod's volumes, of which every container is a member. */
  readonly fsGroup: number
}

/** The user and group `runner` of GitHub's own image. */
export const defaultUser = { uid: 1001, gid: 1001, fsGroup: 1001 } as const satisfies RunnerUser

/**
 * As whom the runner of a pod runs, its own word before its pod's.
 *
 * The configuration of a job is a file of mode 0400, so that only its owner reads it: the poller writes it and the
 * runner reads it, therefore both run as the same user, and the poller follows what the template says of the runner.
 * A group that both share would do as well, but then every process of that group could read it.
 */
export function runnerUserOf(spec: JsonMap): RunnerUser {
  const pod = mapOf(spec.securityContext)
  const runner = mapsOf(spec.containers).find(({ name }) => name === containers.runner)
  const own = mapOf(runner?.securityContext)
  const number = (...candidates: unknown[]): number | null =>
    candidates.find((value) => typeof value === 'number') ?? null
  const gid = number(own.runAsGroup, pod.runAsGroup)
  return {
    uid: number(own.runAsUser, pod.runAsUser),
    gid,
    fsGroup: number(pod.fsGroup, gid) ?? defaultUser.fsGroup,
  }
}
