import type { Context } from 'hono'
import { enterpriseScope, organizationScope } from '../core/index.ts'

/** Below which paths there are runners. */
export const runnerPlaces = ['/repos/:owner/:repo', '/orgs/:org', '/enterprises/:enterprise'] as const
/** Below which there are groups of them. */
export const groupPlaces = ['/orgs/:org', '/enterprises/:enterprise'] as const

/** The scope that a path is about: a repository, an organisation or an enterprise. */
export function scopeOf(c: Context): string {
  const organization = c.req.param('org')
  if (organization !== undefined) return organizationScope(organization)
  const enterprise = c.req.param('enterprise')
  if (enterprise !== undefined) return enterpriseScope(enterprise)
  return `${c.req.param('owner')}/${c.req.param('repo')}`
}
