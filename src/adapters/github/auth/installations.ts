import type { z } from 'zod'
import { readArray } from '../pages.ts'
import { installationSchema } from '../schemas.ts'
import type { Call } from '../transport/call.ts'
import { expectBody } from '../transport/expect.ts'

/** The App at one account. */
export interface Installation {
  readonly id: number
  /** Login of a person or an organisation, in small letters; `enterprises/…` for an enterprise. */
  readonly owner: string
  readonly isSuspended: boolean
}

/** Every installation of the App, or the one that is served; one that is gone is not in the list. */
export async function readInstallations(
  call: Call,
  only: number | undefined,
  signal: AbortSignal,
): Promise<readonly Installation[]> {
  const path = '/app/installations'
  if (only === undefined) return (await readArray(call, path, installationSchema, signal)).map(installationOf)
  const answer = await call('GET', `${path}/${only}`, signal)
  if (answer.status === 404) return []
  return [installationOf(expectBody(answer, 200, installationSchema, `GET ${path}/${only}`))]
}

/** The keys of installations by account. */
export const ownerKey = (login: string): string => login.toLowerCase()
export const enterpriseKey = (slug: string): string => `enterprises/${slug.toLowerCase()}`

function keyOf(id: number, account: z.infer<typeof installationSchema>['account']): string {
  // No login has a space in it, so this key matches no repository's owner.
  if (account == null) return `installation ${id}`
  return 'login' in account ? ownerKey(account.login) : enterpriseKey(account.slug)
}

function installationOf({ id, account, suspended_at }: z.infer<typeof installationSchema>): Installation {
  return { id, owner: keyOf(id, account), isSuspended: suspended_at != null }
}
