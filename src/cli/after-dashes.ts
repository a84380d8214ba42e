import type { Command } from 'commander'

/**
 * Everything behind `--`, as it was typed; null: there is no `--`. Commander joins it with the arguments before, which would
 * make a mistyped id a command to run.
 */
export function afterDashes(command: Command): readonly string[] | null {
  let root = command
  while (root.parent !== null) root = root.parent
  const { rawArgs } = root as unknown as { readonly rawArgs: readonly string[] }
  const at = rawArgs.indexOf('--')
  return at === -1 ? null : rawArgs.slice(at + 1)
}
