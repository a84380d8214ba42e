import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import type { Clock } from '../../../src/ports/clock.ts'
import { refuse } from './answers.ts'
import { closedSignal } from './connection.ts'
import {
  createFaultSchedule,
  type FaultSchedule,
  lagBoundMs,
  type RestChance,
  scheduleSchema,
  type WebhookFault,
} from './fault-schedule.ts'
import { tooFast } from './secondary-limit.ts'

const countMax = 10_000
const delayBoundMs = 10 * 60_000
const aheadMsMax = 24 * 60 * 60_000
const count = z.int().min(0).max(countMax)

const restFault = z.strictObject({
  /** How many of the next calls it meets. */
  count,
  do: z.enum(['fail', 'secondary-limit', 'hang', 'reset', 'empty', 'slow']),
  status: z.int().min(400).max(599).default(502),
  retryAfterSeconds: z.int().min(0).max(86_400).optional(),
  /** How long the second half of a slow body takes to come. */
  delayMs: z.int().min(1).max(delayBoundMs).default(1_000),
  /** `after`: the call takes effect, and only its answer is lost. */
  when: z.enum(['before', 'after']).default('before'),
  /** Only calls whose `METHOD /path` contains this. */
  match: z.string().max(200).default(''),
})
type RestFault = z.infer<typeof restFault>

/** The next faults, and how often each occurs. */
export const faultsSchema = z
  .strictObject({
    dropWebhooks: count.optional(),
    repeatWebhooks: count.optional(),
    rest: restFault.optional(),
    schedule: scheduleSchema.optional(),
    /** How far all reads of jobs, runs and runners are behind from now on. */
    lagMs: z.int().min(0).max(lagBoundMs).optional(),
    /** How far lists of runs are behind that are searched, by status or time or whatever. */
    searchLagMs: z.int().min(0).max(lagBoundMs).optional(),
    /** How far the forge's clock is ahead from now on, or (negative) behind. */
    aheadMs: z.int().min(-aheadMsMax).max(aheadMsMax).optional(),
  })
  .refine((order) => Object.values(order).some((part) => part !== undefined), 'expected at least one fault')
type FaultOrder = z.infer<typeof faultsSchema>

const restFaultsMax = 100

interface FaultsLeft {
  readonly dropWebhooks: number
  readonly repeatWebhooks: number
  readonly rest: readonly RestFault[]
  readonly isScheduled: boolean
  readonly lagMs: number
  readonly searchLagMs: number
  readonly aheadMs: number
}

export interface Faults {
  order(order: FaultOrder): 'ordered' | 'too-many'
  clear(): void
  left(): FaultsLeft
  /** The fate of the next webhook; counts it. */
  nextWebhook(): WebhookFault
  /** How far behind the next read is; counts it. */
  nextLagMs(): number
  /** How far searched lists of runs are behind. */
  searchLagMs(): number
  /** How much of the past reads may need. */
  lagMsMax(): number
  aheadMs(): number
  /** Meets REST calls with what was ordered. */
  readonly middleware: MiddlewareHandler<{ Bindings: HttpBindings }>
}

export function createFaults(clock: Clock, closing: AbortSignal): Faults {
  let dropWebhooks = 0
  let repeatWebhooks = 0
  let rest: RestFault[] = []
  let schedule: FaultSchedule | null = null
  let lagMs = 0
  let searchLagMs = 0
  let aheadMs = 0
  const take = (call: string): RestFault | undefined => {
    const index = rest.findIndex((fault) => call.includes(fault.match))
    const fault = rest[index]
    if (fault === undefined) return byChance(schedule?.rest() ?? 'none')
    rest = rest.with(index, { ...fault, count: fault.count - 1 }).filter((each) => each.count > 0)
    return fault
  }
  return {
    order(order) {
      if (order.rest !== undefined && rest.length >= restFaultsMax) return 'too-many'
      dropWebhooks = Math.min(dropWebhooks + (order.dropWebhooks ?? 0), countMax)
      repeatWebhooks = Math.min(repeatWebhooks + (order.repeatWebhooks ?? 0), countMax)
      lagMs = order.lagMs ?? lagMs
      searchLagMs = order.searchLagMs ?? searchLagMs
      aheadMs = order.aheadMs ?? aheadMs
      if (order.schedule !== undefined) schedule = createFaultSchedule(order.schedule)
      if (order.rest !== undefined && order.rest.count > 0) rest.push(order.rest)
      return 'ordered'
    },
    clear() {
      dropWebhooks = 0
      repeatWebhooks = 0
      rest = []
      schedule = null
      lagMs = 0
      searchLagMs = 0
      aheadMs = 0
    },
    left: () => ({
      dropWebhooks,
      repeatWebhooks,
      rest,
      isScheduled: schedule !== null,
      lagMs,
      searchLagMs,
      aheadMs,
    }),
    searchLagMs: () => searchLagMs,
    nextLagMs: () => Math.max(lagMs, schedule?.lagMs() ?? 0),
    lagMsMax: () => Math.max(lagMs, searchLagMs, schedule?.lagMsMax ?? 0),
    aheadMs: () => aheadMs,
    nextWebhook() {
      if (dropWebhooks > 0) {
        dropWebhooks -= 1
        return { kind: 'drop' }
      }
      if (repeatWebhooks > 0) {
        repeatWebhooks -= 1
        return { kind: 'repeat' }
      }
      return schedule?.webhook() ?? { kind: 'none' }
    },
    async middleware(c, next) {
      const fault = take(`${c.req.method} ${c.req.path}`)
      if (fault === undefined) return next()
      if (fault.when === 'after' || fault.do === 'slow') await next()
      if (fault.do === 'slow') c.res = await slowed(c.res, () => clock.sleep(fault.delayMs, closing))
      else c.res = await answerWith(fault, c, closing)
    },
  }
}

function byChance(chance: RestChance): RestFault | undefined {
  if (chance === 'none') return undefined
  const plain = { count: 1, status: 502, match: '', delayMs: 1 }
  if (chance === 'lostAnswer') return { ...plain, do: 'reset', when: 'after' }
  if (chance === 'hungAnswer') return { ...plain, do: 'hang', when: 'after' }
  return { ...plain, do: chance, when: 'before' }
}

async function answerWith(
  fault: RestFault,
  c: Context<{ Bindings: HttpBindings }>,
  closing: AbortSignal,
): Promise<Response> {
  const status = fault.status as ContentfulStatusCode
  if (fault.do === 'secondary-limit') return tooFast(c, status, fault.retryAfterSeconds ?? null)
  if (fault.do === 'fail') {
    if (fault.retryAfterSeconds !== undefined) c.header('retry-after', String(fault.retryAfterSeconds))
    return refuse(c, status, `A fault that was ordered (${fault.status})`)
  }
  if (fault.do === 'empty') return new Response(null, { status: 200 })
  if (fault.do === 'hang') await untilAborted(AbortSignal.any([closedSignal(c), closing]))
  c.env.outgoing.destroy()
  return new Response(null, { status: 500 })
}

/** The first half of the body at once, the rest after a while. */
async function slowed(answer: Response, wait: () => Promise<void>): Promise<Response> {
  const body = new Uint8Array(await answer.arrayBuffer())
  const half = Math.ceil(body.length / 2)
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(body.subarray(0, half))
      await wait()
      controller.enqueue(body.subarray(half))
      controller.close()
    },
  })
  const { status, headers } = answer
  return new Response(stream, { status, headers })
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
