import { z } from 'zod'
import type { Instant } from '../../../domain/time.ts'
import type { SentDelivery } from '../../../ports/forge-deliveries.ts'
import { deliverySchema } from '../schemas.ts'
import { type Call, unavailable } from '../transport/call.ts'
import { expectBody } from '../transport/expect.ts'

const perPage = 100
/** GitHub keeps deliveries for some days; a list that is longer still is refused, not read in part. */
const pagesMax = 200

/** Reads the deliveries of a hook since a time, the newest first. */
export async function readDeliveries(
  call: Call,
  hook: string,
  since: Instant,
  signal: AbortSignal,
): Promise<readonly SentDelivery[]> {
  const path = `${hook}/deliveries`
  const sent: SentDelivery[] = []
  let cursor: string | null = ''
  for (let page = 0; page < pagesMax; page += 1) {
    const rest = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await call('GET', `${path}?per_page=${perPage}${rest}`, signal)
    const items = expectBody(answer, 200, z.array(deliverySchema), `GET ${path}`)
    const deliveries = items.map((item) => sentOf(item, path))
    sent.push(...deliveries.filter(({ sentAt }) => sentAt >= since))
    cursor = nextCursor(answer.headers.get('link'))
    const isOlder = deliveries.some(({ sentAt }) => sentAt < since)
    if (cursor === null || isOlder) return sent
  }
  throw unavailable(`GET ${path}`, `more than ${perPage * pagesMax} were sent since then`)
}

function sentOf(item: z.infer<typeof deliverySchema>, path: string): SentDelivery {
  return {
    id: `${path}/${item.id}`,
    guid: item.guid,
    event: item.event,
    sentAt: Date.parse(item.delivered_at),
    isReceived: item.status_code >= 200 && item.status_code < 300,
  }
}

/** The cursor of the next page: page numbers would shift as new deliveries come while the list is read. */
function nextCursor(link: string | null): string | null {
  const next = /<([^>]+)>\s*;\s*rel="next"/.exec(link ?? '')?.[1] ?? ''
  return URL.canParse(next) ? new URL(next).searchParams.get('cursor') : null
}
