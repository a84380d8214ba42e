import { ParseError, parseTOML } from 'toml-eslint-parser'
import type { GitlabConfig } from '../domain/audit/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { reasonOf } from '../domain/reason.ts'
import type { ReadFile } from '../platform/config/index.ts'
import { treeOf } from './tree.ts'

/** A real one has a few kilobytes; the parser takes a second for half a megabyte. */
const fileCharsMax = 256 * 1024

/** Reads GitLab Runner's config.toml with the line of everything. Throws where there is no such file, or a huge one. */
export function readGitlabConfig(file: string, readFile: ReadFile): GitlabConfig {
  const text = contentOf(file, readFile)
  try {
    return { file, root: treeOf(parseTOML(text, { tomlVersion: '1.0' })), mistake: null }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    // Its messages are fixed words: they quote nothing of the file, which holds tokens.
    return { file, root: null, mistake: { line: error.lineNumber, what: error.message } }
  }
}

function contentOf(file: string, readFile: ReadFile): string {
  const refuse = (reason: string): never => {
    throw new HoldfastError('E_GITLAB_CONFIG_UNREADABLE', { file, reason })
  }
  let text: string | undefined
  try {
    text = readFile(file)
  } catch (error) {
    return refuse(reasonOf(error))
  }
  if (text === undefined) return refuse('there is no such file')
  if (text.length > fileCharsMax) return refuse(`it has ${text.length} characters, at most ${fileCharsMax}`)
  return text
}
