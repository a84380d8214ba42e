import { readFileSync } from 'node:fs'
import { type Flags, type LoadedConfig, loadConfig } from '../platform/config/index.ts'

/** The settings of this process: its environment, its files, its flags. */
export function readConfig(flags: Flags): LoadedConfig {
  return loadConfig({ env: process.env, flags, readFile, isRoot: process.getuid?.() === 0 })
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
