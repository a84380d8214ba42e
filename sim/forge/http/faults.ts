import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { refuse } from './answers.ts'
import { closedSignal } from './connection.ts'

const COUNT_MAX = 10_000
const count = z.int().min(0).max(COUNT_MAX)

const restFault = z.strictObject({
  /** How many of the next calls it meets. */
  count,
  do: z.enum(['fail', 'hang', 'reset', 'empty']),
  status: z.int().min(400).max(599).default(502),
  retryAfterSeconds: z.int().min(0).max(86_400).optional(),
  /** `after`: the call takes effect, and only its answer is lost. */
  when: z.enum(['before', 'after']).default('before'),
  /** Only calls whose `METHOD /path` contains this. */
  match: z.string().max(200).default(''),
})
type RestFault = z.infer<typeof restFault>

/** What goes wrong next, and how often. */
export const faultsSchema = z
  .strictObject({ dropWebhooks: count.optional(), rest: restFault.optional() })
  .refine((order) => Object.values(order).some((part) => part !== undefined), 'dropWebhooks or rest')
export type FaultOrder = z.infer<typeof faultsSchema>

const REST_FAULTS_MAX = 100

export interface Faults {
  order(order: FaultOrder): 'ordered' | 'too-many'
  clear(): void
  left(): { readonly dropWebhooks: number; readonly rest: readonly RestFault[] }
  /** Whether the next webhook is to be lost; counts it. */
  dropsWebhook(): boolean
  /** Meets REST calls with what was ordered. */
  readonly middleware: MiddlewareHandler<{ Bindings: HttpBindings }>
}

export function createFaults(closing: AbortSignal): Faults {
  let dropWebhooks = 0
  let rest: RestFault[] = []
  const take = (call: string): RestFault | undefined => {
    const index = rest.findIndex((fault) => call.includes(fault.match))
    const fault = rest[index]
    if (fault === undefined) return undefined
    rest = rest.with(index, { ...fault, count: fault.count - 1 }).filter((each) => each.count > 0)
    return fault
  }
  return {
    order(order) {
      if (order.rest !== undefined && rest.length >= REST_FAULTS_MAX) return 'too-many'
      dropWebhooks = Math.min(dropWebhooks + (order.dropWebhooks ?? 0), COUNT_MAX)
      if (order.rest !== undefined && order.rest.count > 0) rest.push(order.rest)
      return 'ordered'
    },
    clear() {
      dropWebhooks = 0
      rest = []
    },
    left: () => ({ dropWebhooks, rest }),
    dropsWebhook() {
      if (dropWebhooks === 0) return false
      dropWebhooks -= 1
      return true
    },
    async middleware(c, next) {
      const fault = take(`${c.req.method} ${c.req.path}`)
      if (fault === undefined) return next()
      if (fault.when === 'after') await next()
      c.res = await answerWith(fault, c, closing)
    },
  }
}

async function answerWith(
  fault: RestFault,
  c: Context<{ Bindings: HttpBindings }>,
  closing: AbortSignal,
): Promise<Response> {
  if (fault.do === 'fail') {
    if (fault.retryAfterSeconds !== undefined) c.header('retry-after', String(fault.retryAfterSeconds))
    return refuse(c, fault.status as ContentfulStatusCode, `A fault that was ordered (${fault.status})`)
  }
  if (fault.do === 'empty') return new Response(null, { status: 200 })
  if (fault.do === 'hang') await untilAborted(AbortSignal.any([closedSignal(c), closing]))
  c.env.outgoing.destroy()
  return new Response(null, { status: 500 })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
