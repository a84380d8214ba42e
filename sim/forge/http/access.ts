import type { Context, MiddlewareHandler } from 'hono'
import { type Accounts, enterpriseAccount } from '../core/index.ts'
import { notFound, refuse } from './answers.ts'
import { type Caller, callerOf } from './caller.ts'
import type { Engine } from './engine.ts'

export const suspendedMessage = 'This installation has been suspended'
const notAccessible = 'Resource not accessible by integration'
const actionsDisabled = 'GitHub Actions is disabled on this repository'
const runnersDisabled = 'Repository level self-hosted runners are disabled on this repository'
const notPermitted = (login: string) =>
  `Although you appear to have the correct authorization credentials, the \`${login}\` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.`

/** Refuses what a caller may not see, and what only a person can lift, in the words of GitHub. */
export function access({ core: { accounts } }: Engine): MiddlewareHandler {
  return async (c, next) => {
    const caller = callerOf(c)
    if (caller.kind === 'app' || c.req.path === '/rate_limit') return next()
    return suspended(c, accounts, caller) ?? foreign(c, accounts, caller) ?? forbidden(c, accounts) ?? next()
  }
}

/** The account that a caller is confined to; null: none. */
export function accountOf(accounts: Accounts, caller: Caller): string | null {
  return caller.kind === 'installation' ? (accounts.installation(caller.id)?.account ?? null) : null
}

function suspended(c: Context, accounts: Accounts, caller: Caller): Response | undefined {
  // A token that is no installation's stands for the one that is about everything.
  const own = (id: number, account: string | null) =>
    caller.kind === 'installation' ? caller.id === id : account === null
  const isSuspended = accounts
    .installations()
    .some(({ id, account, suspendedAt }) => own(id, account) && suspendedAt !== null)
  return isSuspended ? refuse(c, 403, suspendedMessage) : undefined
}

function foreign(c: Context, accounts: Accounts, caller: Caller): Response | undefined {
  const account = accountOf(accounts, caller)
  if (account === null) return undefined
  const [place, login] = partsOf(c)
  if (place === 'enterprises') {
    return enterpriseAccount(login ?? '') === account ? undefined : refuse(c, 403, notAccessible)
  }
  if ((place === 'repos' || place === 'orgs') && login !== account) return notFound(c)
  const isBlocked = accounts.isRefused(account, 'ip-not-allowed')
  return isBlocked ? refuse(c, 403, notPermitted(account)) : undefined
}

function forbidden(c: Context, accounts: Accounts): Response | undefined {
  const [place, login = '', name = ''] = partsOf(c)
  if (place !== 'repos' && place !== 'orgs') return undefined
  if (accounts.isRefused(login, 'ip-not-allowed')) return refuse(c, 403, notPermitted(login))
  if (place === 'orgs') return undefined
  const repository = `${login}/${name}`
  if (accounts.isRefused(repository, 'ip-not-allowed')) return refuse(c, 403, notPermitted(login))
  if (accounts.isRefused(repository, 'not-in-installation')) return refuse(c, 403, notAccessible)
  const isMint = c.req.path.endsWith('/actions/runners/generate-jitconfig')
  if (isMint && accounts.isRefused(repository, 'runners-disabled')) return refuse(c, 403, runnersDisabled)
  const isAct = c.req.method === 'POST' && c.req.path.includes('/actions/')
  if (isAct && accounts.isRefused(repository, 'actions-disabled')) return refuse(c, 403, actionsDisabled)
  return undefined
}

function partsOf(c: Context): readonly string[] {
  return c.req.path.split('/').slice(1)
}
