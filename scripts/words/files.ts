import { execFileSync } from 'node:child_process'

const isChecked = /^(src|sim|runners|bench|test|scripts|images|docs|bin)\/.*\.(ts|md|sh)$|^[A-Z]+\.md$/

/** Migrations are append-only, fixtures are GitHub's words, and a changelog is history. */
const isExempt = /^CHANGELOG\.md$|^docs\/glossary\.md$|^scripts\/words\/|\/fixtures\//

/** The files of ours that speak to a reader, of the whole tree or below the paths given. */
export function listChecked(root: string, below: readonly string[]): readonly string[] {
  const args = ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...below]
  const files = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n')
  return files.filter((file) => isChecked.test(file) && !isExempt.test(file))
}
