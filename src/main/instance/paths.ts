import path from 'node:path'
import type { Environment } from '../../platform/config/index.ts'

/** The user whose instances are meant: decides the folder of their files. */
export interface InstanceOwner {
  readonly env: Environment
  readonly uid: number
}

const fileName = 'instance.json'

/** In the data folder of an instance. */
export function instanceFile(dataDir: string): string {
  return path.join(dataDir, fileName)
}

/** The folder with one file per instance of the user, named by pid; null where the user has no such folder. */
export function instancesFolder({ env, uid }: InstanceOwner): string | null {
  if (env.XDG_RUNTIME_DIR && path.isAbsolute(env.XDG_RUNTIME_DIR)) {
    return path.join(env.XDG_RUNTIME_DIR, 'holdfast')
  }
  if (uid === 0) return '/run/holdfast'
  const state = env.XDG_STATE_HOME || (env.HOME && path.join(env.HOME, '.local/state'))
  return state && path.isAbsolute(state) ? path.join(state, 'holdfast', 'instances') : null
}
