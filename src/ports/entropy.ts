/** The only source of randomness outside `platform/` and `adapters/`; seeded in the simulation. */
export interface Entropy {
  bytes(count: number): Uint8Array
  /** A number in [0, 1), for jitter; never for secrets. */
  fraction(): number
}
