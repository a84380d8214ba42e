/** Bounds of one look at one host. */
export const bounds = {
  /** A slow disk with a million files is read in less. */
  readMaxMs: 60_000,
  /** Connecting, two looks at the processes and slow answers come on top. */
  lookMaxMs: 100_000,
  connectMaxMs: 10_000,
  /** Emptying or unlocking a folder, on the host; what is left then is planned again. */
  changeMaxMs: 240_000,
  /** systemctl waits for the end of the service. */
  serviceMaxMs: 120_000,
  /** A whole act: unlocking and emptying, each with its own bound, and the looks around them. */
  actMaxMs: 600_000,
  entriesMax: 1_000_000,
  /** Each level of the walk keeps one descriptor open. */
  depthMax: 64,
  /** Notable entries and folders that are kept: more of them say nothing new. */
  notableMax: 20_000,
  topMax: 2_000,
  processesMax: 200,
} as const

/** The most that the script of `ssh` may print: a record has some 60 bytes and a path. */
export const outputBytesMax = 8 * 1024 * 1024
