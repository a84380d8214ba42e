-- Deaths outlive their runners' rows: found by name, by pod and by number, kept as long as jobs are, shipped in order.

-- A runner that ended, with its death record and what else was its own. A record stands here once, and not in the
-- files of its jobs as well: these name their runners.
create table archived_runners (
  id          bigint primary key,
  name        text not null,
  ended_at    timestamptz not null,
  evidence_id bigint not null unique,
  sealed_at   timestamptz not null,
  record      jsonb not null,
  pod_uid     text generated always as (record #>> '{ending,pod,place,uid}') stored,
  -- The runner's row, and those of its timeline and decisions that name no job.
  file        jsonb not null
);
create index archived_runners_ended on archived_runners (ended_at, id);
create index archived_runners_by_name on archived_runners (name);
create index archived_runners_by_pod on archived_runners (pod_uid) where pod_uid is not null;

-- The runners of the job's attempts whose deaths are not in its file. Before, only those that lived longer than it.
alter table archived_jobs rename column living to runner_ids;
alter index archived_jobs_living rename to archived_jobs_by_runner;

-- Up to which number something was taken out of the ledger.
create table positions (
  name text primary key,
  at   bigint not null
);

-- A log tail is most of a record: lz4 packs it with less work than the default, where the server was built with it.
do $$
begin
  alter table evidence alter column record set compression lz4;
  alter table archived_runners alter column record set compression lz4;
  alter table archived_jobs alter column file set compression lz4;
exception when feature_not_supported then
  null;
end $$;
