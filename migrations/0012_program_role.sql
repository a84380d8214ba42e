-- The program runs as a role that owns nothing (docs/design/embedded-postgres.md). What leaves the archive for good leaves it
-- through these, which are their owner's and take only what is history.
create function purge_archived_jobs(older_than interval, at_most integer) returns bigint
language sql security definer
begin atomic
  with gone as (
    delete from archived_jobs
     where id in (select id from archived_jobs
                   where ended_at <= now() - older_than
                   order by ended_at, id
                   limit at_most
                     for update skip locked)
    returning id)
  select count(*) from gone;
end;

-- A job that went on after its runner died needs the death as long as it is kept itself.
create function purge_archived_runners(older_than interval, at_most integer) returns bigint
language sql security definer
begin atomic
  with gone as (
    delete from archived_runners
     where id in (select id from archived_runners as runner
                   where ended_at <= now() - older_than
                     and not exists (select from archived_jobs
                                      where runner_ids <> '{}' and runner_ids @> array[runner.id])
                   order by ended_at, id
                   limit at_most
                     for update skip locked)
    returning id),
  forgotten as (
    delete from ends where runner_id in (select id from gone))
  select count(*) from gone;
end;

revoke all on function purge_archived_jobs(interval, integer), purge_archived_runners(interval, integer) from public;

-- A session's temporary tables hide those of the ledger from nobody but itself: functions that look at tables look into
-- this schema first.
do $$
declare
  each regprocedure;
begin
  for each in
    select pg_proc.oid from pg_proc
      join pg_language on pg_language.oid = prolang
     where pronamespace = current_schema()::regnamespace and lanname = 'plpgsql'
  loop
    execute format('alter function %s set search_path = %I, pg_temp', each, current_schema());
  end loop;
end $$;
