import type { DeclaredLane } from './contract.ts'

const waysToApply: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/\.tf(vars)?(\.json)?$/, 'plan and apply it with OpenTofu or Terraform'],
  [/(^|\/)kustomization\.ya?ml$/, 'build and apply the kustomization'],
  [/values[^/]*\.ya?ml$/, 'upgrade its Helm release'],
  [/\.toml$/, 'render the configuration and restart that one runner manager'],
]

/** How the source of a lane becomes live, by the kind of its file. */
export function applyText({ source }: DeclaredLane): string {
  const way = waysToApply.find(([pattern]) => pattern.test(source?.file ?? ''))
  return way?.[1] ?? 'apply its source'
}
