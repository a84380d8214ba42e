import type {
  CoverageMessage,
  HookEvent,
  Installation,
  InstallationMessage,
  Instant,
  Repository,
} from '../model.ts'
import { accountPayload, developerPayload, enterprisePayload, ownerPayload } from './account.ts'
import { briefRepositoryPayload } from './repository.ts'
import { idOfName, isoTime, type Json, type Links } from './shape.ts'

const madeAt = '2020-01-01T00:00:00Z'
const appSlug = 'holdfast'
/** The owner of the App, and of the installation that covers everything. */
const ownerAccount = 'acme'
const permissions = { actions: 'write', administration: 'write', checks: 'read', metadata: 'read' } as const

const enterprises = 'enterprises/'

/** How an installation names an enterprise as its account; no login has a slash. */
export function enterpriseAccount(slug: string): string {
  return `${enterprises}${slug}`
}

/** The App as it sees itself. */
export function appPayload(
  appId: number,
  events: readonly HookEvent[],
  installationCount: number,
  links: Links,
): Json {
  return {
    id: appId,
    slug: appSlug,
    node_id: `A_${appId}`,
    owner: accountPayload(ownerAccount, 'Organization', links),
    name: 'Holdfast',
    description: null,
    external_url: links.web,
    html_url: `${links.web}/apps/${appSlug}`,
    created_at: madeAt,
    updated_at: madeAt,
    permissions,
    events,
    installations_count: installationCount,
  }
}

/** Facts of an installation outside of its row. */
export interface InstallationFacts {
  readonly appId: number
  readonly events: readonly HookEvent[]
  readonly isPersonal: boolean
  /** Whether it sees all repositories of its account. */
  readonly isWhole: boolean
}

/** An installation of the App. */
export function installationPayload(
  installation: Installation,
  facts: InstallationFacts,
  links: Links,
): Json {
  const { id, account: login, suspendedAt } = installation
  const { appId, events, isPersonal } = facts
  const name = login ?? ownerAccount
  const slug = slugOf(name)
  const account = slug === null ? ownerPayload(name, isPersonal, links) : enterprisePayload(slug, links)
  const kept = slug === null ? `organizations/${name}/settings` : `enterprises/${slug}/settings`
  const settings = isPersonal ? 'settings' : kept
  return {
    id,
    account,
    access_tokens_url: `${links.api}/app/installations/${id}/access_tokens`,
    repositories_url: `${links.api}/installation/repositories`,
    html_url: `${links.web}/${settings}/installations/${id}`,
    app_id: appId,
    app_slug: appSlug,
    target_id: idOfName(slug ?? name),
    target_type: slug === null ? (isPersonal ? 'User' : 'Organization') : 'Enterprise',
    permissions,
    events,
    single_file_name: null,
    repository_selection: selectionOf(facts),
    created_at: madeAt,
    updated_at: madeAt,
    suspended_by: suspendedAt === null ? null : developerPayload(links),
    suspended_at: suspendedAt === null ? null : isoTime(suspendedAt, links),
  }
}

/** The body of an `installation` or `installation_repositories` webhook. */
export function installationMessagePayload(
  message: InstallationMessage | CoverageMessage,
  facts: InstallationFacts,
  repositories: readonly Repository[],
  links: Links,
): Json {
  const { event, action } = message
  const common = {
    action,
    installation: installationPayload(message.installation, facts, links),
    sender: developerPayload(links),
  }
  if (event === 'installation') {
    return { ...common, requester: null, repositories: repositories.map(briefRepositoryPayload) }
  }
  const changed = message.repositories.map(briefRepositoryPayload)
  return {
    ...common,
    requester: null,
    repository_selection: selectionOf(facts),
    repositories_added: action === 'added' ? changed : [],
    repositories_removed: action === 'removed' ? changed : [],
  }
}

/** A fresh token of the installation. */
export function tokenPayload(token: string, expiresAt: Instant, isWhole: boolean): Json {
  const expires = `${new Date(expiresAt).toISOString().slice(0, 19)}Z`
  return { token, expires_at: expires, permissions, repository_selection: selectionOf({ isWhole }) }
}

function slugOf(account: string): string | null {
  return account.startsWith(enterprises) ? account.slice(enterprises.length) : null
}

function selectionOf({ isWhole }: Pick<InstallationFacts, 'isWhole'>): 'all' | 'selected' {
  return isWhole ? 'all' : 'selected'
}
