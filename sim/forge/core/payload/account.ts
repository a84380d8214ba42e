import { idOfName, type Json, type Links } from './shape.ts'

/** Who pushes, cancels and is told about it. */
const developerLogin = 'developer'

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

/** The person behind every run. */
export function developerPayload(links: Links): Json {
  return accountPayload(developerLogin, 'User', links)
}

/** An organisation as webhooks show it. */
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
