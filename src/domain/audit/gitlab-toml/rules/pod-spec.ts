import { podspecType } from '../classes.ts'
import type { TomlEntry } from '../document.ts'
import type { Problem } from '../problem.ts'

/** `pod_spec` that is no list of patches; null where it is one, or where the entry is another. */
export function podSpecProblem({ key, line, value }: TomlEntry, path: readonly string[]): Problem[] | null {
  if (key.toLowerCase() !== 'pod_spec' || path.length !== 3) return null
  if (value.kind === 'array' && value.items.every(({ kind }) => kind === 'table')) return null
  return [
    {
      class: podspecType,
      severity: 'critical',
      line,
      path: path.join('.'),
      summary: `pod_spec is a ${value.kind}, and GitLab Runner wants a list of patches: it refuses the whole file.`,
      fix: 'Write [[runners.kubernetes.pod_spec]] with name, patch and patch_type.',
    },
  ]
}
