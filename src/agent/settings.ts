/** What one agent is told. */
export interface AgentSettings {
  /** Where Holdfast serves. */
  readonly url: string
  /** Read for each push: it is renewed while the agent runs. */
  readonly tokenFile: string
  /** The node's name, as the cluster knows it. */
  readonly node: string
  /** Where rings are mirrored. */
  readonly folder: string
  /** Where the kernel shows its groups, and below which of them pods are looked for. */
  readonly cgroups: string
  readonly below: string
  readonly proc: string
  readonly kernelLog: string
  /** Any place on the file system of images and writable layers. */
  readonly images: string
  readonly sampleMs: number
}

export const sampleMsLeast = 100
export const sampleMsMost = 60_000
