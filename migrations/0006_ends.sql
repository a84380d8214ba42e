-- The fleet's view of deaths: what many ends have in common.

-- One narrow row for each end, written with its record and purged with it. A record is kilobytes, packed: to look at ten
-- thousand of them each minute would unpack all of their logs.
create table ends (
  runner_id  bigint primary key,
  runner     text not null,
  pool       text not null,
  class      text not null,
  confidence text not null,
  -- By the host's word, and never after the record was sealed.
  at         timestamptz not null,
  sealed_at  timestamptz not null default now(),
  -- Null where it is not known.
  node       text,
  image      text,
  repository text,
  job_id     bigint
);
create index ends_sealed on ends (sealed_at, runner_id);

-- The last day, so that the first look after an upgrade sees what the last one before would have.
insert into ends
select dead.id, dead.name, dead.pool,
       coalesce(record ->> 'class', 'unknown'),
       coalesce(record ->> 'confidence', 'unknown'),
       coalesce(least(to_timestamp((record #>> '{ending,endedAt}')::double precision / 1000), sealed_at), sealed_at),
       sealed_at,
       record #>> '{ending,pod,place,node}',
       jsonb_path_query_first(record, '$.ending.pod.containers[*] ? (@.name == "runner").image') #>> '{}',
       record #>> '{job,repository}',
       (record #>> '{job,jobId}')::bigint
  from (select runners.id, runners.name, runners.pool, evidence.sealed_at, evidence.record
          from evidence
          join runners on runners.id = evidence.runner_id
         where evidence.kind = 'runner-death'
           and evidence.sealed_at >= now() - interval '1 day'
         union all
        select id, name, file #>> '{runner,pool}', sealed_at, record
          from archived_runners
         where ended_at >= now() - interval '1 day'
           and file #>> '{runner,pool}' is not null) as dead;

-- What the ends of runners have in common is an incident as well; it holds no jobs back.
alter table incidents drop constraint incidents_scope_check;
alter table incidents add constraint incidents_scope_check
  check (scope in ('repository', 'account', 'installation', 'runners'));
