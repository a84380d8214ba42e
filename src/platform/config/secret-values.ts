import { valueAt } from '../../api/schema/index.ts'
import type { Config } from './schema.ts'
import { settingList } from './settings.ts'

/** Every secret of a configuration, to be hidden in text. */
export function secretValues(config: Config): string[] {
  const values = settingList()
    .filter(({ secret }) => secret === true)
    .flatMap(({ path }) => textsIn(valueAt(config, path.split('.'))))
  return [...values, ...values.flatMap(passwordsIn)]
}

/** Every text in some data. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** A URL's password, which is a secret also where it stands without it. */
export function passwordsIn(value: string): string[] {
  if (!URL.canParse(value)) return []
  const { password } = new URL(value)
  return password === '' ? [] : [password, decoded(password)]
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
