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
select evidence.runner_id, runners.name, runners.pool, death.class, death.confidence,
       coalesce(least(to_timestamp(death.at_ms / 1000), evidence.sealed_at), evidence.sealed_at),
       evidence.sealed_at, death.node, death.image, death.repository, death.job_id
  from evidence
  join runners on runners.id = evidence.runner_id
 cross join lateral (
         select coalesce(record ->> 'class', 'unknown') as class,
                coalesce(record ->> 'confidence', 'unknown') as confidence,
                (record #>> '{ending,endedAt}')::double precision as at_ms,
                record #>> '{ending,pod,place,node}' as node,
                jsonb_path_query_first(record, '$.ending.pod.containers[*] ? (@.name == "runner").image') #>> '{}' as image,
                record #>> '{job,repository}' as repository,
                (record #>> '{job,jobId}')::bigint as job_id
       ) as death
 where evidence.kind = 'runner-death'
   and evidence.sealed_at >= now() - interval '1 day';

insert into ends
select runner.id, runner.name, runner.file #>> '{runner,pool}', death.class, death.confidence,
       coalesce(least(to_timestamp(death.at_ms / 1000), runner.sealed_at), runner.sealed_at),
       runner.sealed_at, death.node, death.image, death.repository, death.job_id
  from archived_runners as runner
 cross join lateral (
         select coalesce(record ->> 'class', 'unknown') as class,
                coalesce(record ->> 'confidence', 'unknown') as confidence,
                (record #>> '{ending,endedAt}')::double precision as at_ms,
                record #>> '{ending,pod,place,node}' as node,
                jsonb_path_query_first(record, '$.ending.pod.containers[*] ? (@.name == "runner").image') #>> '{}' as image,
                record #>> '{job,repository}' as repository,
                (record #>> '{job,jobId}')::bigint as job_id
       ) as death
 where runner.ended_at >= now() - interval '1 day'
   and runner.file #>> '{runner,pool}' is not null;

-- What the ends of runners have in common is an incident as well; it holds no jobs back.
alter table incidents drop constraint incidents_scope_check;
alter table incidents add constraint incidents_scope_check
  check (scope in ('repository', 'account', 'installation', 'runners'));
