import { type GitlabConfig, type TomlTable, tableIn, tablesIn, textIn, wordsIn } from './document.ts'

/** One `[[runners]]` of the file. */
export interface TomlRunner {
  /** Its name, or its place in the file. */
  readonly title: string
  /** Its name in the labels of its job pods; null where it has none. */
  readonly label: string | null
  readonly table: TomlTable
  /** `[runners.kubernetes]`; null where it has none, or another executor. */
  readonly kubernetes: TomlTable | null
  /** Null where the file does not say it. */
  readonly namespace: string | null
}

export function runnersIn({ root }: GitlabConfig): readonly TomlRunner[] {
  if (root === null) return []
  return tablesIn(root, 'runners').map((table, index) => {
    const name = textIn(table, 'name')
    const isElsewhere = (textIn(table, 'executor') ?? 'kubernetes') !== 'kubernetes'
    const kubernetes = isElsewhere ? null : tableIn(table, 'kubernetes')
    return {
      title: name ?? `runner ${index + 1}`,
      label: name === null || name === '' ? null : labelOf(name),
      table,
      kubernetes,
      namespace: kubernetes === null ? null : wordsIn(kubernetes, 'namespace'),
    }
  })
}

const labelCharsMax = 63

/** A name as GitLab Runner writes it into a label: other characters become `_`, the ends are letters or digits. */
function labelOf(name: string): string {
  return trimmed(trimmed(name.replaceAll(/[^A-Za-z0-9_.-]/g, '_')).slice(0, labelCharsMax))
}

function trimmed(text: string): string {
  return text.replaceAll(/^[-_.]+|[-_.]+$/g, '')
}
