import { valueAt } from '../../api/schema/index.ts'
import { redactText } from '../../domain/redact/index.ts'
import type { LoadedConfig } from './load.ts'
import { originText } from './origin.ts'
import { type Setting, settingList } from './settings.ts'

/** One line of `holdfast config print`; safe to show. */
export interface ConfigRow {
  readonly path: string
  readonly value: string
  readonly origin: string
  readonly env: string
  readonly description: string
}

/** Each effective value and where it came from, secrets masked. */
export function printConfig(loaded: LoadedConfig): ConfigRow[] {
  return settingList().map((setting) => ({
    path: setting.path,
    value: shown(setting, valueAt(loaded.config, setting.path.split('.'))),
    origin: originText(loaded.origins.get(setting.path) ?? { kind: 'default' }),
    env: setting.env,
    description: setting.description,
  }))
}

function shown({ secret }: Setting, value: unknown): string {
  if (value === undefined) return '(not set)'
  if (secret) return isEmpty(value) ? '(not set)' : '(hidden)'
  return redactText(typeof value === 'string' ? value : JSON.stringify(value))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
