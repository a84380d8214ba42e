/** Seeds that once found a defect; each is run first, for ever. The comment says what it found. */
export const keptSeeds: readonly number[] = [
  1977, // a job of which no message arrived ran on a runner that was claimed for another
  73, // a start that an earlier leader had begun was made again while the runner was sealed as vanished
  1244, // the same
  1333, // the same, by a start that was repeated
  1359, // a pool was let go while runners were enrolled for it
]
