import { awaitsApproval, isOpen, type JobStanding } from '../../../../domain/job/index.ts'
import type { JobConditions } from '../../../../ports/ledger.ts'
import { type Sql, sql } from '../../connection/index.ts'
import { inService, milliseconds, text } from '../rows/index.ts'

/** Reads open jobs from their indexes, however many have ended. */
export const amongOpen = sql`
  and id in (select id from jobs where state = 'queued' union all select id from jobs where state in ${inService})`

/** Only what is asked for stands in the statement: each combination gets the plan that suits it. */
export function conditionsOf({ repository, pool, labels, withinMs, outcomes, ...asked }: JobConditions): Sql {
  return sql`
    true ${inStates(asked)}
    ${repository === undefined ? sql`` : sql`and lower(repository) = lower(${text(repository)}::text)`}
    ${pool === undefined ? sql`` : pool === null ? sql`and pool is null` : sql`and pool = ${text(pool)}`}
    ${labels === undefined ? sql`` : withLabels(labels)}
    ${withinMs === undefined ? sql`` : sql`and (ended_at is null or ended_at >= now() - ${milliseconds(withinMs)}::interval)`}
    ${outcomes === undefined ? sql`` : sql`and ended_at is not null and ${outcome} = any (${outcomes.map(text)}::text[])`}
    ${isOnlyOpen({ outcomes, ...asked }) ? amongOpen : sql``}`
}

/** As attentionRank in the domain; a test of the contract holds them together. */
export const rank = sql`
  case when state = 'queued' and (pool is null or quarantine is not null and quarantine <> ${awaitsApproval}) then 0
       when state = 'queued' then 1
       when state = 'running' then 2
       when state in ${inService} then 0
       else 3 end`

const outcome = sql`case when state = 'lost' then 'lost' else coalesce(conclusion, state) end`

const standing = sql`
  case when state <> 'queued' or quarantine is null then state
       when quarantine = ${awaitsApproval} then 'waits-for-approval'
       else 'quarantined' end`

function isOnlyOpen({ states, standings }: JobConditions): boolean {
  const asked = states ?? standings?.map(stateOf)
  return asked?.every((state) => isOpen({ state })) ?? false
}

function inStates({ states, standings }: JobConditions): Sql {
  const ofStates = states === undefined ? sql`` : sql`and state = any (${states}::text[])`
  if (standings === undefined) return ofStates
  const bases = [...new Set(standings.map(stateOf))]
  return sql`${ofStates} and state = any (${bases}::text[]) and ${standing} = any (${standings}::text[])`
}

function stateOf(asked: JobStanding) {
  return asked === 'quarantined' || asked === 'waits-for-approval' ? 'queued' : asked
}

/** Forges compare labels without regard to case. */
function withLabels(labels: readonly string[]): Sql {
  return sql`and (select array_agg(lower(label)) from unnest(labels) as label)
                 @> ${labels.map((label) => text(label.toLowerCase()))}::text[]`
}
