-- A job that the forge ended is lost where its runner's death, sealed later, shows that: the death decides, and the forge's
-- word is kept beside it (docs/design/recovery.md).

-- As moves-sql.ts writes them.
create or replace function job_may_move(was text, becomes text) returns boolean immutable parallel safe
return case was
  when 'queued' then becomes in ('claimed', 'running', 'completed', 'cancelled', 'lost')
  when 'claimed' then becomes in ('queued', 'delivered', 'registered', 'running', 'completed', 'cancelled', 'lost')
  when 'delivered' then becomes in ('queued', 'claimed', 'registered', 'running', 'completed', 'cancelled', 'lost')
  when 'registered' then becomes in ('queued', 'claimed', 'delivered', 'running', 'completed', 'cancelled', 'lost')
  when 'running' then becomes in ('queued', 'claimed', 'delivered', 'registered', 'completed', 'cancelled', 'lost')
  when 'completed' then becomes in ('lost')
  when 'cancelled' then becomes in ('lost')
  else false end;
create or replace function attempt_may_move(was text, becomes text) returns boolean immutable parallel safe
return case was
  when 'claimed' then becomes in ('minted', 'ended')
  when 'minted' then becomes in ('delivered', 'running', 'ended')
  when 'delivered' then becomes in ('acknowledged', 'registered', 'running', 'ended')
  when 'acknowledged' then becomes in ('registered', 'running', 'ended')
  when 'registered' then becomes in ('running', 'ended')
  when 'running' then becomes in ('ended')
  else false end;
create or replace function runner_may_move(was text, becomes text) returns boolean immutable parallel safe
return case was
  when 'booting' then becomes in ('polling', 'busy', 'fenced', 'ended')
  when 'polling' then becomes in ('claimed', 'busy', 'fenced', 'ended')
  when 'claimed' then becomes in ('polling', 'busy', 'fenced', 'ended')
  when 'busy' then becomes in ('ended')
  when 'fenced' then becomes in ('busy', 'removed')
  else false end;

-- What was noted of an end stays with it, and the death of a runner that had the job is there.
create function is_judged_lost(was jobs, becomes jobs) returns boolean stable language plpgsql as $$
begin
  return becomes.state = 'lost' and was.conclusion in ('failure', 'cancelled')
     and becomes.conclusion = was.conclusion and becomes.executor is not distinct from was.executor
     and is_kept(was.ended_at, becomes.ended_at)
     and (was.forge_completed_at is null) = (becomes.forge_completed_at is null)
     and is_kept(was.forge_completed_at, becomes.forge_completed_at)
     and exists (select from attempts
                   join evidence on evidence.runner_id = attempts.runner_id and evidence.kind = 'runner-death'
                  where attempts.job_id = was.id and attempts.forge_runner_name = was.executor
                    and evidence.record ->> 'class' <> 'clean');
end $$;

create or replace function jobs_move() returns trigger language plpgsql as $$
begin
  if (old.state = new.state and old.ended_at is null or job_may_move(old.state, new.state))
     and (case when new.ended_at is null then new.conclusion is null and new.forge_completed_at is null
               else new.ended_at > old.seen_at - interval '1 millisecond' end)
     and (new.state <> 'queued' or new.executor is null)
     and (old.ended_at is null or is_judged_lost(old, new))
  then
    return new;
  end if;
  if old.state <> new.state and not job_may_move(old.state, new.state) then
    perform refuse('jobs_move', format('a job does not go from %s to %s', old.state, new.state));
  elsif old.state = new.state and old.ended_at is not null then
    perform refuse('jobs_ended', 'a job that has ended does not change');
  elsif old.ended_at is not null then
    perform refuse('jobs_judged', 'a job that has ended is lost only by the death of its runner, and keeps what was noted');
  elsif new.ended_at is not null then
    perform refuse('jobs_times', 'a job does not end before it was seen');
  end if;
  perform refuse('jobs_facts', 'an open job has no conclusion, and one that waits no executor');
end $$;

-- As migration 0012 does for all: no session's temporary tables stand before those of the ledger.
do $$
begin
  execute format('alter function is_judged_lost(jobs, jobs) set search_path = %I, pg_temp', current_schema());
  execute format('alter function jobs_move() set search_path = %I, pg_temp', current_schema());
end $$;
