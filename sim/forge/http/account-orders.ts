import { Hono } from 'hono'
import { z } from 'zod'
import {
  enterpriseAccount,
  enterpriseScope,
  hookEvents,
  organizationScope,
  refusalKinds,
} from '../core/index.ts'
import { idParam, notFound, readBody, refuse } from './answers.ts'
import type { Engine } from './engine.ts'

const runnersMax = 10_000
const listMax = 1_000

export const fullName = z.string().regex(/^[\w.-]{1,39}\/[\w.-]{1,100}$/, 'expected owner/name')
export const login = z.string().regex(/^[\w.-]{1,39}$/, 'expected the name of an account')
const names = z.array(z.union([login, fullName])).max(listMax)

const repositorySchema = z.strictObject({ repository: fullName, public: z.boolean().default(false) })
const renameSchema = z.strictObject({ from: fullName, to: fullName })
const ownerSchema = z.strictObject({ login, type: z.enum(['User', 'Organization']) })
const enterpriseSchema = z.strictObject({
  enterprise: login,
  /** The repositories of the installation; where absent it covers all. */
  organizations: z.array(login).max(listMax).optional(),
})
const groupSchema = z
  .strictObject({
    organization: login.optional(),
    enterprise: login.optional(),
    /** Runners of a repository's own are all in its default group. */
    repository: fullName.optional(),
    name: z.string().min(1).max(100),
    visibility: z.enum(['all', 'selected', 'private']).optional(),
    /** Repositories of an organisation's group, organisations of an enterprise's. */
    selected: names.optional(),
    allowsPublicRepositories: z.boolean().optional(),
    runnersMax: z.int().min(0).max(runnersMax).optional(),
  })
  .refine(
    ({ organization, enterprise, repository }) =>
      [organization, enterprise, repository].filter((of) => of !== undefined).length === 1,
    'expected one of organization, enterprise, repository',
  )
  .refine(
    ({ repository, name }) => repository === undefined || name === 'Default',
    'a repository has the group Default alone',
  )
const suspensionSchema = z.strictObject({ suspended: z.boolean(), id: z.int().optional() })
const installationSchema = z
  .strictObject({ account: login.optional(), enterprise: login.optional() })
  .refine(
    ({ account, enterprise }) => account === undefined || enterprise === undefined,
    'expected an account or an enterprise, not both',
  )
const refusalSchema = z.strictObject({ what: z.enum(refusalKinds), of: z.union([login, fullName]) })
const liftSchema = refusalSchema.partial()
const hookSchema = z.strictObject({ events: z.array(z.enum(hookEvents)).max(hookEvents.length) })

/** Accounts on order, and what their people decide. */
export function accountOrders(engine: Engine): Hono {
  const app = new Hono()
  const order = <T>(path: string, schema: z.ZodType<T>, obey: (given: T) => unknown): void => {
    app.post(path, async (c) => {
      const given = await readBody(c, schema)
      if (given instanceof Response) return given
      const made = engine.run(() => obey(given))
      return made === null ? notFound(c) : c.json(made ?? given, 201)
    })
  }
  const { accounts } = engine.core

  order('/repositories', repositorySchema, (given) => accounts.putRepository(given.repository, given.public))
  order('/renames', renameSchema, ({ from, to }) => {
    const outcome = accounts.rename(from, to)
    return outcome === 'renamed' ? { from, to } : null
  })
  order('/owners', ownerSchema, (given) => accounts.putOwner(given.login, given.type === 'User'))
  order('/enterprises', enterpriseSchema, ({ enterprise, organizations }) =>
    accounts.putEnterprise(enterprise, organizations ?? null),
  )
  order('/runner-groups', groupSchema, (given) => {
    const { organization, enterprise, repository, allowsPublicRepositories: allowsPublic, ...group } = given
    const wide =
      organization === undefined ? enterpriseScope(enterprise ?? '') : organizationScope(organization)
    const scope = repository ?? wide
    const made = accounts.putGroup({ ...group, allowsPublic, scope })
    return made === null ? null : { ...made, id: made.number }
  })

  app.delete('/runner-groups/:id', (c) => {
    const outcome = engine.run(() => accounts.dropGroup(idParam(c, 'id') ?? 0))
    return outcome === 'absent' ? notFound(c) : c.body(null, 204)
  })

  order('/installation', suspensionSchema, ({ suspended, id }) => {
    const known = id === undefined ? accounts.installations()[0] : accounts.installation(id)
    if (known === undefined || known === null) return null
    accounts.suspend(known.id, suspended)
    return accounts.installation(known.id)
  })
  app.get('/installations', (c) => c.json({ installations: accounts.installations() }))
  order('/installations', installationSchema, ({ account, enterprise }) =>
    accounts.install(enterprise === undefined ? (account ?? null) : enterpriseAccount(enterprise)),
  )
  app.delete('/installations/:id', (c) => {
    const outcome = engine.run(() => accounts.uninstall(idParam(c, 'id') ?? 0))
    return outcome === 'absent' ? notFound(c) : c.body(null, 204)
  })

  app.get('/refusals', (c) => c.json({ refusals: accounts.refusals() }))
  order('/refusals', refusalSchema, ({ what, of }) => accounts.refuse(what, of))
  app.delete('/refusals', (c) => {
    const meant = liftSchema.safeParse(c.req.query())
    if (!meant.success) return refuse(c, 422, 'Validation Failed')
    engine.run(() => accounts.lift(meant.data.what ?? null, meant.data.of ?? null))
    return c.body(null, 204)
  })

  order('/hook', hookSchema, ({ events }) => accounts.subscribe(events))
  return app
}
