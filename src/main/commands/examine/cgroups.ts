import { access, constants, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Check } from '../../../domain/examination.ts'

const top = '/sys/fs/cgroup'
const todo =
  'Run it as root, or as a systemd service with Delegate=yes. Without groups the limits of pools do not hold.'

/** Whether groups with limits can be made for runners, as far as that shows without making one. */
export async function checkCgroups(): Promise<Check> {
  const name = 'cgroups'
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => null)
  if (own === null) return { name, result: 'warn', found: 'this system has no cgroups', todo }
  const folder = folderOf(own)
  if (folder === null)
    return { name, result: 'warn', found: 'no hierarchy with a memory limit is mounted', todo }
  try {
    await access(folder, constants.W_OK)
    return { name, result: 'ok', found: `groups can be made in ${folder}`, todo: null }
  } catch {
    return { name, result: 'warn', found: `this user may not make groups in ${folder}`, todo }
  }
}

/** Lines are `0::/path` of version 2 and `4:memory:/path` of version 1. */
function folderOf(own: string): string | null {
  const lines = own.split('\n').map((line) => line.split(':'))
  const memory = lines.find(([, controllers = '']) => controllers.split(',').includes('memory'))
  if (memory !== undefined) return path.join(top, 'memory', memory.slice(2).join(':'))
  const unified = lines.find(([number, controllers]) => number === '0' && controllers === '')
  return unified === undefined ? null : path.join(top, unified.slice(2).join(':'))
}
