import type { Instant } from '../model.ts'
import { accountPayload } from './account.ts'
import { idOfName, installationId, isoTime, type Json, type Links } from './shape.ts'

const MADE_AT = '2020-01-01T00:00:00Z'
const SLUG = 'holdfast'
const ACCOUNT = 'acme'
const permissions = { actions: 'write', administration: 'write', checks: 'read', metadata: 'read' } as const
const events = ['workflow_job'] as const

/** The App as it sees itself. */
export function appPayload(appId: number, links: Links): Json {
  return {
    id: appId,
    slug: SLUG,
    node_id: `A_${appId}`,
    owner: accountPayload(ACCOUNT, 'Organization', links),
    name: 'Holdfast',
    description: null,
    external_url: links.web,
    html_url: `${links.web}/apps/${SLUG}`,
    created_at: MADE_AT,
    updated_at: MADE_AT,
    permissions,
    events,
    installations_count: 1,
  }
}

/** The App's one installation. */
export function installationPayload(appId: number, suspendedAt: Instant | null, links: Links): Json {
  const account = accountPayload(ACCOUNT, 'Organization', links)
  return {
    id: installationId,
    account,
    access_tokens_url: `${links.api}/app/installations/${installationId}/access_tokens`,
    repositories_url: `${links.api}/installation/repositories`,
    html_url: `${links.web}/organizations/${ACCOUNT}/settings/installations/${installationId}`,
    app_id: appId,
    app_slug: SLUG,
    target_id: idOfName(ACCOUNT),
    target_type: 'Organization',
    permissions,
    events,
    single_file_name: null,
    repository_selection: 'all',
    created_at: MADE_AT,
    updated_at: MADE_AT,
    suspended_by: suspendedAt === null ? null : account,
    suspended_at: suspendedAt === null ? null : isoTime(suspendedAt),
  }
}

/** A fresh token of the installation. */
export function tokenPayload(token: string, expiresAt: Instant): Json {
  return { token, expires_at: isoTime(expiresAt), permissions, repository_selection: 'all' }
}
