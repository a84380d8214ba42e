import type { ContainerStatusFact } from '../../snapshot/index.ts'

/** A container's state in the shape in which a timeline reads it. */
export function containerOf({ name, state, lastState }: ContainerStatusFact) {
  return {
    name,
    exitCode: state?.exitCode ?? null,
    signal: state?.signal ?? null,
    reason: state?.reason ?? null,
    startedAt: state?.startedAt ?? null,
    finishedAt: state?.finishedAt ?? null,
    earlier: lastState,
  }
}
