-- A cancelled job whose runner ended in order is lost as well where somebody had deleted its pod while it ran
-- (docs/design/recovery.md).

create or replace function is_judged_lost(was jobs, becomes jobs) returns boolean stable language plpgsql as $$
begin
  return becomes.state = 'lost' and was.conclusion in ('failure', 'cancelled')
     and becomes.conclusion = was.conclusion and becomes.executor is not distinct from was.executor
     and is_kept(was.ended_at, becomes.ended_at)
     and (was.forge_completed_at is null) = (becomes.forge_completed_at is null)
     and is_kept(was.forge_completed_at, becomes.forge_completed_at)
     and exists (select from attempts
                   join evidence on evidence.runner_id = attempts.runner_id and evidence.kind = 'runner-death'
                  where attempts.job_id = was.id and attempts.forge_runner_name = was.executor
                    and (evidence.record ->> 'class' <> 'clean'
                         or was.conclusion = 'cancelled'
                            and evidence.record #>> '{ending,pod,deletedAt}' is not null));
end $$;

-- As migration 0012 does for all: no session's temporary tables stand before those of the ledger.
do $$
begin
  execute format('alter function is_judged_lost(jobs, jobs) set search_path = %I, pg_temp', current_schema());
end $$;
