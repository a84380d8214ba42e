/** Time in milliseconds since the epoch, UTC. */
export type Instant = number
