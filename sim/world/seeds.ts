/** Seeds that once found a defect; each is run first, for ever. The comment says what it found. */
export const keptSeeds: readonly number[] = [
  1977, // a job of which no message arrived ran on a runner that was claimed for another
  73, // a start that an earlier leader had begun was made again while the runner was sealed as vanished
  1244, // the same
  1333, // the same, by a start that was repeated
  1359, // a pool was retired while runners were enrolled for it
  1132, // a repository was private again, and nobody asked whether its waiting job was a fork's, which mattered only then
  2203, // a job failed in the second in which somebody tore out its pod: whether it was lost by that, nobody can know
  1978, // a repository was published while its job ran, and the job came back to a pool that refuses it
  1360, // a repository was published while no pool was declared, and a pool that came back claimed its jobs
]
