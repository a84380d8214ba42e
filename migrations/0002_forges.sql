-- What real forges need: incidents, the budget of calls, deliveries in the order of their subjects.

-- What only a person can put right. Its kinds stand in src/domain/incident/table.ts, which grows.
create table incidents (
  id           bigint generated always as identity primary key,
  kind         text not null,
  installation text not null references installations,
  scope        text not null check (scope in ('repository', 'account', 'installation')),
  key          text not null,
  reason       text not null,
  opened_at    timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  times_seen   integer not null default 1,
  closed_at    timestamptz
);
-- It is open once as long as it lasts. Every mint asks it whether there is something to close: what a mint knows
-- comes first, and what is over is not in it.
create unique index incidents_open on incidents (installation, scope, key, kind) where closed_at is null;
create index incidents_closed on incidents (closed_at) where closed_at is not null;

-- A repository may be held for an incident and for other reasons at once: when the incident is over, only its own
-- hold goes with it. What has no incident is one hold.
alter table holds add column id bigint generated always as identity;
alter table holds add column incident_id bigint references incidents on delete cascade;
alter table holds drop constraint holds_pkey;
alter table holds add primary key (id);
alter table holds add unique nulls not distinct (kind, key, incident_id);
create index holds_by_incident on holds (incident_id) where incident_id is not null;

-- What the forge said is left of the calls of one account that it counts apart, for every process.
create table budgets (
  account    text primary key,
  calls_max  bigint not null,
  calls_left bigint not null,
  resets_at  timestamptz not null,
  noted_at   timestamptz not null default now()
);

alter table deliveries add column subject text;
-- Whether an older delivery of the same subject waits to be tried again.
create index deliveries_pending_by_subject on deliveries (installation, subject, received_at)
  where state = 'pending' and subject is not null;
-- Deliveries of a state by arrival: those that people list, and those that wait. The latter are worked on in this
-- order, so that a backlog is read from its start, and not sorted as a whole as with the index on retry_at.
create index deliveries_by_state on deliveries (state, received_at, guid);
drop index deliveries_pending;

-- Which runs need not be asked about again, also once their jobs are archived; null where an earlier version did that.
alter table archived_jobs add column run_id bigint;
alter table archived_jobs add column seen_at timestamptz;
