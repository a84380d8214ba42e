import { forgeHostOf, forgeScopeOf, type ScaleSetFact } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { ForgeFactsOrder, JobRef } from '../../ports/forge-facts.ts'

/** Jobs and runs that are wanted whatever their age. */
export interface ForgeWishes {
  readonly runs?: ForgeFactsOrder['runs']
  readonly jobs?: readonly JobRef[]
}

/** Runs that ended longer ago explain nothing about the fleet of now. */
const sinceMs = 6 * 60 * 60_000
/** A tenth of the smallest hourly budget of a credential (5,000 calls). */
const callsMax = 500

/** The questions to a forge, and the scale sets that belong to another one. */
export interface ForgeQuestions {
  readonly order: ForgeFactsOrder
  readonly elsewhere: readonly Place[]
}

/** An organisation or a repository, and the host that its URL names. */
interface Place {
  readonly host: string
  readonly scope: string
}

/**
 * Asks about the organisations and repositories that the scale sets name at this host (null: whatever they name). Our own
 * pools name none: their runners are wherever the credential of the settings registers them.
 */
export function forgeOrder(
  sets: readonly ScaleSetFact[],
  wishes: ForgeWishes,
  host: string | null,
  now: Instant,
): ForgeQuestions {
  const { runs = [], jobs = [] } = wishes
  const places = sets.flatMap(placeOf)
  const isHere = (place: Place) => host === null || place.host === host
  const ofSets = places.filter(isHere).map(({ scope }) => scope)
  const ofWishes = [...runs, ...jobs].map(({ repository }) => repository)
  const runnerScopes = [...new Set(places.length > 0 ? ofSets : ofWishes)]
  const isCoveredWanted = sets.some(({ origin }) => origin === 'holdfast')
  return {
    order: { runnerScopes, isCoveredWanted, repositories: null, since: now - sinceMs, runs, jobs, callsMax },
    elsewhere: places.filter((place) => !isHere(place)),
  }
}

/** The place that a scale set names, with its host. */
function placeOf(set: ScaleSetFact): Place[] {
  const [host, scope] = [forgeHostOf(set), forgeScopeOf(set)]
  return host === null || scope === null ? [] : [{ host, scope }]
}
