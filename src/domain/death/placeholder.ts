/** An end as a container runtime or a kubelet reports it. */
interface ReportedEnd {
  readonly reason?: string | null
  readonly exitCode?: number | null
  readonly message?: string | null
}

/**
 * Reasons that stand for an end that nobody saw: containerd writes Unknown with 255 where a container's task is gone, as
 * after a reboot; kubelets write ContainerStatusUnknown with 137 where they find no container.
 */
const madeUpReasons: ReadonlySet<string> = new Set(['Unknown', 'ContainerStatusUnknown'])
/** The message of a kubelet that reports exit code 0 for an init container that it no longer finds. */
const madeUpDone = 'Unable to get init container status from container runtime'

/** Whether an end is a placeholder without a true exit code, signal or time. No program ends with a code below 0. */
export function isPlaceholder({ reason, exitCode, message }: ReportedEnd): boolean {
  if (madeUpReasons.has(reason ?? '') || (exitCode ?? 0) < 0) return true
  return message?.startsWith(madeUpDone) === true
}
