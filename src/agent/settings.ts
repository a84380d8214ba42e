/** The settings of one agent. */
export interface AgentSettings {
  /** The address of Holdfast. */
  readonly url: string
  /** Read for each push: it is renewed while the agent runs. */
  readonly tokenFile: string
  /** The node's name, as the cluster knows it. */
  readonly node: string
  /** The folder of the rings' files. */
  readonly folder: string
  /** The mount of cgroups, and the group below which pods are searched. */
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
