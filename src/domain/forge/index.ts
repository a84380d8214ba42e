import { gitea } from './gitea.ts'
import { github } from './github.ts'
import type { ForgeKind, ForgePath } from './kind.ts'
import { simulated } from './simulated.ts'

export { giteaIdStep } from './gitea.ts'
export type { ForgeKind, ForgePath } from './kind.ts'

/** All kinds of forges, the one place where they are listed. `src/main/forge/kinds/` has an opener for each, by its name. */
export const forgeKinds = { simulated, github, gitea } as const satisfies Readonly<Record<string, ForgeKind>>
export type ForgeKindName = keyof typeof forgeKinds
export const forgeKindNames = Object.keys(forgeKinds) as ForgeKindName[]

/** Whether a kind's jobs are submitted by the user of this machine alone; false for a kind that is not known. */
export function isSimulated(kind: string): boolean {
  return Object.hasOwn(forgeKinds, kind) && forgeKinds[kind as ForgeKindName].isSimulated
}

/** The job or run that the URL of any forge names; null: none. */
export function parseForgeUrl(url: string): ForgePath | null {
  if (!URL.canParse(url)) return null
  const { pathname } = new URL(url)
  const found = Object.values(forgeKinds).map((kind) => kind.parsePath(pathname))
  return found.find((path) => path !== null) ?? null
}
