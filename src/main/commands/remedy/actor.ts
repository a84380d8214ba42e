import { hostname, userInfo } from 'node:os'
import type { Actor } from '../../../domain/trail/index.ts'

/** The person who typed the command. */
export function operator(): Actor {
  return { kind: 'person', name: `${userInfo().username}@${hostname()}` }
}

/** A remedy that runs without a person. */
export function unattended(remedy: string): Actor {
  return { kind: 'controller', name: `${remedy} at ${hostname()}` }
}
