/** An end as a container runtime or a kubelet reports it. */
interface SaidEnd {
  readonly reason?: string | null
  readonly exitCode?: number | null
  readonly message?: string | null
}

/**
 * What stands for an end that nobody saw: containerd writes Unknown with 255 where it finds a container's task gone, as
 * after a reboot; kubelets write ContainerStatusUnknown with 137 where they find no container.
 */
const madeUpReasons: ReadonlySet<string> = new Set(['Unknown', 'ContainerStatusUnknown'])
/** Kubelets call a container that prepares a pod done, with exit code 0, where they do not find it any more. */
const MADE_UP_DONE = 'Unable to get init container status from container runtime'

/** Whether an end is made up: then its exit code, signal and time say nothing. No program ends with a code below 0. */
export function isPlaceholder({ reason, exitCode, message }: SaidEnd): boolean {
  if (madeUpReasons.has(reason ?? '') || (exitCode ?? 0) < 0) return true
  return message?.startsWith(MADE_UP_DONE) === true
}
