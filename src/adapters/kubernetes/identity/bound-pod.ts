import type { TokenReview } from '../client/index.ts'

/** The pod that a token is bound to. */
export interface BoundPod {
  readonly name: string
  readonly uid: string
}

export interface Expected {
  readonly namespace: string
  readonly audience: string
}

const extra = 'authentication.kubernetes.io/'

/**
 * The pod of our namespace that a review speaks of; null where it proves none. An API server that knows no audiences
 * names none: then a token for anybody else would be as good, so it is not taken.
 */
export function boundPod(review: TokenReview, { namespace, audience }: Expected): BoundPod | null {
  if (!review.isAuthenticated || !review.audiences.includes(audience)) return null
  const [system, kind, whose, account, ...rest] = review.username.split(':')
  if (system !== 'system' || kind !== 'serviceaccount' || whose !== namespace) return null
  if (!account || rest.length > 0) return null
  const name = onlyOne(review.extra[`${extra}pod-name`])
  const uid = onlyOne(review.extra[`${extra}pod-uid`])
  return name === null || uid === null ? null : { name, uid }
}

function onlyOne(values: readonly string[] | undefined): string | null {
  const [value, ...others] = values ?? []
  return value !== undefined && value !== '' && others.length === 0 ? value : null
}
