import type { Reached } from '../../src/ports/forge.ts'

/** Repositories whose jobs wait for runners in the group of the settings. */
export function reached(...repositories: readonly string[]): readonly Reached[] {
  return repositories.map((repository) => ({ repository, runnerGroups: [null] }))
}
