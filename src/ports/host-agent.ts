import type { HostSamples } from '../domain/death/index.ts'

/** One file of the kernel, kept open: it has no size, and its text is made for each read. */
export interface KernelFile {
  /** Its text now, cut at `kernelTextBytesMax`; null where it cannot be read, such as that of a group that is gone. */
  read(): string | null
  close(): void
}

/** Longer than any file that the agent reads, but for `memory.stat`, whose wanted fields stand at its beginning. */
export const kernelTextBytesMax = 8 * 1024

/** How the agent sees the machine that it stands on, or an imitation of one. Nothing here throws. */
export interface KernelFiles {
  /** Names of the folders in a folder; null where it cannot be listed. */
  folders(path: string): readonly string[] | null
  /** How many these are, for a fifth of the price. */
  folderCount(path: string): number | null
  /** Null where it is not there or may not be read. */
  open(path: string): KernelFile | null
  /** The free space of the file system that holds a path; null where it is not known. */
  space(path: string): { readonly freeBytes: number; readonly freeInodes: number } | null
}

/** The kernel's own log, record by record as `/dev/kmsg` gives them. Nothing here throws. */
export interface KernelLog {
  /** The records since the last question, oldest first, at most so many. */
  next(limit: number): readonly string[]
  /** Records that were overwritten before they could be read. */
  readonly lost: number
  /** Why it cannot be read; null where it can. */
  readonly missing: string | null
  close(): void
}

/** Small files next to the agent, one for each pod's samples, that survive its crash. A failure is logged, never thrown. */
export interface SampleFiles {
  load(): readonly { readonly podUid: string; readonly text: string }[]
  append(podUid: string, text: string): void
  /** In one step: who reads finds the old text or the new one. */
  replace(podUid: string, text: string): void
  remove(podUid: string): void
  /** Why rings do not outlive the agent now; null where they do. */
  readonly missing: string | null
}

export type Pushed =
  | { readonly kind: 'taken' }
  /** This ring is not wanted, now or later. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The same ring may be taken later. */
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfterMs: number | null }

/** Where rings go. Never rejects but by the signal. */
export interface RingPush {
  push(ring: HostSamples, signal: AbortSignal): Promise<Pushed>
}

/** The identity that an agent's token proves. */
export interface ProvenAgent {
  /** The node that it may speak for; null where its proof names none. */
  readonly node: string | null
}

/** How an agent proves that it is one: by its pod's token in a cluster, by a shared token on one machine. */
export interface AgentIdentity {
  /** Null where it proves nothing. Throws a retryable error where it cannot be checked: then nobody is let in. */
  of(proof: string, signal: AbortSignal): Promise<ProvenAgent | null>
}
