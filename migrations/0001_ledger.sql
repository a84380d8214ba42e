-- The ledger. What must never happen is refused here, whoever writes: see docs/design/ledger.md.

-- The legal states. Domains, because a session keeps their checks ready, whereas a table's are parsed anew by every
-- statement that writes to it: a fifth of a claim's work on the server, when all of them were checks of tables.
create domain job_state as text check (value in
  ('queued', 'claimed', 'delivered', 'registered', 'running', 'completed', 'cancelled', 'lost'));
create domain attempt_state as text check (value in
  ('claimed', 'minted', 'delivered', 'acknowledged', 'registered', 'running', 'ended'));
create domain runner_state as text check (value in
  ('booting', 'polling', 'claimed', 'busy', 'fenced', 'ended', 'removed'));
create domain end_reason as text check (value in
  ('mint-failed', 'claim-expired', 'never-registered', 'finished', 'runner-gone', 'taken-elsewhere'));
create domain timeline_subject as text check (value in ('job', 'attempt', 'runner'));
create domain runner_name as text check (length(value) <= 64);
create domain priority_class as smallint check (value between 0 and 3);
create domain tally as integer check (value >= 0);

-- A forge as the configuration names it; what is known about it beyond its name stands there.
create table installations (
  name       text primary key,
  created_at timestamptz not null default now()
);

create table pools (
  name       text primary key,
  spec       jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  removed_at timestamptz,
  -- What a claim reads of the specification.
  ageing             interval not null generated always as
                       ((spec #>> '{fairness,ageingMs}')::double precision * interval '1 millisecond') stored,
  cap_per_repository integer generated always as ((spec #>> '{fairness,capPerRepository}')::integer) stored,
  cap_per_owner      integer generated always as ((spec #>> '{fairness,capPerOwner}')::integer) stored
);

create table evidence (
  id         bigint generated always as identity primary key,
  kind       text not null check (kind in ('forge-word', 'never-registered', 'runner-death')),
  runner_id  bigint,
  record     jsonb not null,
  sealed_at  timestamptz not null default now(),
  check ((kind = 'runner-death') = (runner_id is not null)),
  unique (id, runner_id)
);
-- I5: one death record a runner.
create unique index evidence_one_death_a_runner on evidence (runner_id) where kind = 'runner-death';

create table jobs (
  id                 bigint generated always as identity primary key,
  installation       text not null references installations,
  forge_job_id       bigint not null,
  run_id             bigint not null,
  run_attempt        integer not null,
  repository         text not null,
  owner              text not null generated always as (split_part(repository, '/', 1)) stored,
  name               text not null,
  labels             text[] not null,
  pool               text references pools,
  priority           priority_class not null,
  share_tag          double precision not null,
  state              job_state not null default 'queued',
  conclusion         text,
  executor           text,
  mint_failures      tally not null default 0,
  requeues           tally not null default 0,
  not_before         timestamptz not null default now(),
  quarantine         text,
  forge_queued_at    timestamptz,
  forge_started_at   timestamptz,
  forge_completed_at timestamptz,
  seen_at            timestamptz not null default now(),
  waiting_since      timestamptz not null default now(),
  check_at           timestamptz not null,
  ended_at           timestamptz,
  unique (installation, forge_job_id),
  check ((state in ('completed', 'cancelled', 'lost')) = (ended_at is not null)),
  check (ended_at is null or conclusion is not null or state = 'lost'),
  check ((state = 'running') <= (executor is not null)),
  check (quarantine is null or state = 'queued' or ended_at is not null)
);
-- The claim reads these in order and stops at the first row that is free; finished work is not in them.
create index jobs_queue on jobs (pool, priority, share_tag, id) where state = 'queued' and quarantine is null;
create index jobs_queue_by_age on jobs (pool, waiting_since, id) where state = 'queued' and quarantine is null;
-- Caps and tags are derived from these, never counted up and down (I9).
create index jobs_queue_by_repository on jobs (pool, repository, share_tag) where state = 'queued';
create index jobs_in_service on jobs (pool, repository, share_tag)
  where state in ('claimed', 'delivered', 'registered', 'running');
-- Only these can be open without an open attempt, which has a time of its own.
create index jobs_due on jobs (check_at) where state in ('queued', 'running');
create index jobs_ended on jobs (ended_at) where ended_at is not null;
-- A claim steps over what is dead at the head of the queue: it is cleared by its number, not as a share of history.
alter table jobs set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

create table runners (
  id            bigint generated always as identity primary key,
  name          runner_name not null unique,
  pool          text not null references pools,
  -- Only this host can say whether the runner lives.
  host          text not null,
  state         runner_state not null default 'booting',
  identity_hash text not null,
  created_at    timestamptz not null default now(),
  polled_at     timestamptz,
  fenced_at     timestamptz,
  ended_at      timestamptz,
  reason        text,
  evidence_id   bigint,
  check_at      timestamptz not null,
  check ((state in ('ended', 'removed')) = (ended_at is not null)),
  -- I5: a runner ends with its death on record, and not with another's.
  check (ended_at is null or evidence_id is not null),
  foreign key (evidence_id, id) references evidence (id, runner_id)
) with (fillfactor = 60);
-- None of these names the state, so that a runner's moves touch no index (HOT); room for them is left in each page.
create index runners_live on runners (pool) where ended_at is null;
create index runners_due on runners (check_at) where ended_at is null;
create index runners_ended on runners (ended_at) where ended_at is not null;
create index runners_by_evidence on runners (evidence_id) where evidence_id is not null;
alter table evidence add foreign key (runner_id) references runners on delete cascade deferrable initially deferred;

create table attempts (
  id                bigint generated always as identity primary key,
  handle            uuid not null unique,
  -- Deferrable, because a swapped assignment passes through a moment at which neither job has its attempt.
  job_id            bigint not null references jobs deferrable initially immediate,
  claimed_job_id    bigint not null,
  runner_id         bigint not null references runners,
  state             attempt_state not null default 'claimed',
  forge_runner_name runner_name not null,
  forge_runner_id   bigint,
  jit               bytea,
  jit_key_id        text,
  claimed_at        timestamptz not null default now(),
  minted_at         timestamptz,
  delivered_at      timestamptz,
  acknowledged_at   timestamptz,
  registered_at     timestamptz,
  started_at        timestamptz,
  ended_at          timestamptz,
  end_reason        end_reason,
  evidence_id       bigint references evidence,
  check_at          timestamptz not null,
  check ((state = 'ended') = (ended_at is not null)),
  check ((ended_at is null) = (end_reason is null)),
  check ((jit is null) = (jit_key_id is null)),
  -- I2: a JIT is kept only while its runner may still fetch it.
  check (jit is null or (minted_at is not null and registered_at is null and ended_at is null)),
  -- I3: once a JIT was delivered, the attempt ends only with evidence.
  constraint attempts_end_with_evidence check (delivered_at is null or ended_at is null or evidence_id is not null)
);
-- I1: a job has at most one open attempt, and so has a runner.
create unique index attempts_one_open_a_job on attempts (job_id) where ended_at is null;
create unique index attempts_one_open_a_runner on attempts (runner_id) where ended_at is null;
-- I2: a name is minted once, so that a configuration belongs to one runner only. (An adopted attempt keeps its name.)
create index attempts_by_forge_runner_name on attempts (forge_runner_name);
create index attempts_by_job on attempts (job_id);
create index attempts_by_runner on attempts (runner_id);
create index attempts_due on attempts (check_at) where ended_at is null;
create index attempts_by_evidence on attempts (evidence_id) where evidence_id is not null;

-- A repository or an account to which the forge refuses runners: its jobs wait, the others do not (docs/design/ledger.md).
create table holds (
  kind     text not null check (kind in ('repository', 'account')),
  key      text not null,
  reason   text not null,
  failures integer not null default 1,
  until    timestamptz not null,
  primary key (kind, key)
);

create table deliveries (
  guid         text primary key check (length(guid) <= 100),
  installation text not null references installations,
  event        text not null,
  body         text not null,
  received_at  timestamptz not null default now(),
  state        text not null default 'pending' check (state in ('pending', 'done', 'ignored', 'poison')),
  tries        integer not null default 0,
  retry_at     timestamptz not null default now(),
  settled_at   timestamptz,
  note         text,
  check ((state = 'pending') = (settled_at is null))
);
create index deliveries_pending on deliveries (retry_at, received_at) where state = 'pending';
create index deliveries_settled on deliveries (settled_at) where state <> 'pending';

-- Up to where something outside was read.
create table cursors (
  name text primary key,
  at   timestamptz not null
);

create table timeline (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  subject    timeline_subject not null,
  subject_id bigint not null,
  job_id     bigint,
  kind       text not null,
  source     text not null,
  rule       text,
  facts      jsonb not null default '{}'
);
create index timeline_by_job on timeline (job_id, id);
create index timeline_by_runner on timeline (subject_id, id) where subject = 'runner';

create table decisions (
  id         bigint generated always as identity primary key,
  at         timestamptz not null default now(),
  rule       text not null,
  job_id     bigint,
  attempt_id bigint,
  runner_id  bigint,
  facts      jsonb not null,
  actions    jsonb not null,
  outcome    text,
  outcome_at timestamptz
);
create index decisions_by_job on decisions (job_id, id);
create index decisions_by_runner on decisions (runner_id) where job_id is null;

-- A job that ended, with all that belonged to it, in one document: read by id, never by a claim.
create table archived_jobs (
  id           bigint primary key,
  installation text not null,
  forge_job_id bigint not null,
  repository   text not null,
  ended_at     timestamptz not null,
  file         jsonb not null,
  -- Its runners whose death is not in the file yet, because they lived longer than the job was kept.
  living       bigint[] not null default '{}',
  unique (installation, forge_job_id)
);
create index archived_jobs_ended on archived_jobs (ended_at);
create index archived_jobs_living on archived_jobs using gin (living) where living <> '{}';

-- The timeline is append-only. Rows leave it only into the archive, in a transaction that says so, and never
-- while their job or runner is open.
create function timeline_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('holdfast.archiving', true) = 'on'
     and not exists (select from jobs where jobs.id = old.job_id and jobs.ended_at is null)
     and not exists (select from runners where old.subject = 'runner' and runners.id = old.subject_id
                       and runners.ended_at is null)
  then
    return old;
  end if;
  raise exception 'the timeline is append-only' using errcode = 'restrict_violation';
end $$;
create trigger timeline_keeps_rows before update or delete on timeline
  for each row execute function timeline_is_append_only();
create trigger timeline_keeps_all before truncate on timeline
  for each statement execute function timeline_is_append_only();

-- Sealed evidence never changes, and it goes only where the timeline goes: into the archive.
create function evidence_is_sealed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('holdfast.archiving', true) = 'on' then
    return old;
  end if;
  raise exception 'sealed evidence does not change' using errcode = 'restrict_violation';
end $$;
create trigger evidence_keeps_rows before update or delete on evidence
  for each row execute function evidence_is_sealed();
create trigger evidence_keeps_all before truncate on evidence
  for each statement execute function evidence_is_sealed();
