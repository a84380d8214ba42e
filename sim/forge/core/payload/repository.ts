import type { Repository } from '../model.ts'
import { ownerPayload } from './account.ts'
import type { Json, Links } from './shape.ts'

const madeAt = '2020-01-01T00:00:00Z'

/** The suffixes of the repository's own address, as in GitHub's URL templates. */
const addresses = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
} as const

/** A repository as it stands inside of other things. */
export function minimalRepositoryPayload(repository: Repository, links: Links): Json {
  const { id, fullName, isPersonal = false, isPublic = false } = repository
  const [login = '', name = ''] = fullName.split('/')
  const api = `${links.api}/repos/${fullName}`
  const urls = Object.entries(addresses).map(([key, suffix]) => [key, `${api}${suffix}`])
  return {
    id,
    node_id: `R_${id}`,
    name,
    full_name: fullName,
    private: !isPublic,
    owner: ownerPayload(login, isPersonal, links),
    html_url: `${links.web}/${fullName}`,
    description: null,
    fork: false,
    url: api,
    ...Object.fromEntries(urls),
  }
}

const shown = new WeakMap<Repository, { readonly links: Links; readonly payload: Json }>()

/** A repository in a list and in webhooks. Every message has one, so each is written once. */
export function repositoryPayload(repository: Repository, links: Links): Json {
  const known = shown.get(repository)
  if (known?.links === links) return known.payload
  const payload = { ...minimalRepositoryPayload(repository, links), ...detailsOf(repository, links) }
  shown.set(repository, { links, payload })
  return payload
}

/** A repository as messages about the App's installation show it. */
export function briefRepositoryPayload({ id, fullName, isPublic = false }: Repository): Json {
  const name = fullName.split('/')[1] ?? ''
  return { id, node_id: `R_${id}`, name, full_name: fullName, private: !isPublic }
}

/** A repository that was asked for by its name. */
export function fullRepositoryPayload(repository: Repository, links: Links): Json {
  return {
    ...repositoryPayload(repository, links),
    has_discussions: false,
    network_count: 0,
    subscribers_count: 0,
  }
}

function detailsOf({ fullName, isPublic = false }: Repository, { web }: Links): Json {
  const host = new URL(web).host
  return {
    created_at: madeAt,
    updated_at: madeAt,
    pushed_at: madeAt,
    git_url: `git://${host}/${fullName}.git`,
    ssh_url: `ssh://git@${host}/${fullName}.git`,
    clone_url: `${web}/${fullName}.git`,
    svn_url: `${web}/${fullName}`,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: false,
    has_wiki: false,
    has_pages: false,
    forks_count: 0,
    mirror_url: null,
    archived: false,
    disabled: false,
    open_issues_count: 0,
    license: null,
    allow_forking: false,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: isPublic ? 'public' : 'private',
    forks: 0,
    open_issues: 0,
    watchers: 0,
    default_branch: 'main',
  }
}
