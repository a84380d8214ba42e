import { idOfName, type Json, type Links } from './shape.ts'

const madeAt = '2020-01-01T00:00:00Z'
/** The user who pushes and cancels, and who is the sender of messages. */
export const developerLogin = 'developer'

/** A person or an organisation. */
export function accountPayload(login: string, type: 'User' | 'Organization', links: Links): Json {
  const id = idOfName(login)
  const api = `${links.api}/users/${login}`
  return {
    login,
    id,
    node_id: `${type === 'User' ? 'U' : 'O'}_${id}`,
    avatar_url: `${links.web}/avatars/${id}`,
    gravatar_id: '',
    url: api,
    html_url: `${links.web}/${login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type,
    user_view_type: 'public',
    site_admin: false,
  }
}

/** The account that owns something. */
export function ownerPayload(login: string, isPersonal: boolean, links: Links): Json {
  return accountPayload(login, isPersonal ? 'User' : 'Organization', links)
}

/** An enterprise as the account of an installation. */
export function enterprisePayload(slug: string, links: Links): Json {
  const id = idOfName(slug)
  return {
    id,
    node_id: `E_${id}`,
    slug,
    name: slug,
    description: null,
    website_url: null,
    html_url: `${links.web}/enterprises/${slug}`,
    avatar_url: `${links.web}/avatars/${id}`,
    created_at: madeAt,
    updated_at: madeAt,
  }
}

/** The person behind every run. */
export function developerPayload(links: Links): Json {
  return accountPayload(developerLogin, 'User', links)
}

/** An organisation that was asked for by its name. */
export function fullOrganizationPayload(login: string, repositoryCount: number, links: Links): Json {
  return {
    ...organizationPayload(login, links),
    html_url: `${links.web}/${login}`,
    type: 'Organization',
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: repositoryCount,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: madeAt,
    updated_at: madeAt,
    archived_at: null,
  }
}

/** An organisation as webhooks and lists show it. */
export function organizationPayload(login: string, links: Links): Json {
  const id = idOfName(login)
  const api = `${links.api}/orgs/${login}`
  return {
    login,
    id,
    node_id: `O_${id}`,
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${links.web}/avatars/${id}`,
    description: null,
  }
}
