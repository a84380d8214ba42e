import path from 'node:path'
import type { Environment } from '../../platform/config/index.ts'

/** Who asks, as far as it decides where the instances of a user are noted. */
export interface Asker {
  readonly env: Environment
  readonly uid: number
}

const fileName = 'instance.json'

/** In the data folder of an instance. */
export function instanceFile(dataDir: string): string {
  return path.join(dataDir, fileName)
}

/** Where each instance of a user has a file under its pid; null where this user has no place of its own. */
export function instancesFolder({ env, uid }: Asker): string | null {
  if (env.XDG_RUNTIME_DIR && path.isAbsolute(env.XDG_RUNTIME_DIR)) {
    return path.join(env.XDG_RUNTIME_DIR, 'holdfast')
  }
  if (uid === 0) return '/run/holdfast'
  const state = env.XDG_STATE_HOME || (env.HOME && path.join(env.HOME, '.local/state'))
  return state && path.isAbsolute(state) ? path.join(state, 'holdfast', 'instances') : null
}
