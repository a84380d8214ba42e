import type { Problem } from '../../api/schema/index.ts'
import { expectedName } from './environment.ts'
import type { Given } from './origin.ts'
import { readText } from './read-text.ts'
import type { Setting } from './settings.ts'

/** Values from the command line by path (`http.port`), as text; `config` names the file. */
export type Flags = Readonly<Record<string, string | undefined>>

export const configFlag = 'config'

/** The settings of the command line, by path. */
export function readFlags(
  settings: readonly Setting[],
  flags: Flags,
  problems: Problem[],
): Map<string, Given> {
  const given = new Map<string, Given>()
  const byPath = new Map(settings.map((setting) => [setting.path, setting]))
  for (const [path, text] of Object.entries(flags)) {
    if (text === undefined || path === configFlag) continue
    const setting = byPath.get(path)
    if (setting === undefined) {
      problems.push({
        path,
        source: 'command line',
        got: 'an unknown name',
        expected: expectedName(path, byPath.keys()),
      })
      continue
    }
    given.set(path, { value: readText(setting.schema, text), origin: { kind: 'flag', name: setting.flag } })
  }
  return given
}
