-- What must never happen is refused by the database, whoever writes: see docs/design/ledger.md, which names what each
-- of these costs a claim. A move, a fact that must stay and an order of times are looked at where the row is written;
-- what two rows say about each other, at commit, because a plan writes one after the other.

-- Values that no row may have. A session keeps a domain's check ready, a table's is parsed by every statement.
create domain moment as timestamptz check (isfinite(value));
create domain queue_tag as double precision check (value >= 0 and value < 'infinity');
create domain forge_number as bigint check (value >= 0);
create domain key_name as text check (value <> '');

alter table jobs
  alter forge_job_id type forge_number,
  alter run_id type forge_number,
  alter run_attempt type tally,
  alter share_tag type queue_tag,
  alter not_before type moment,
  alter forge_queued_at type moment,
  alter forge_started_at type moment,
  alter forge_completed_at type moment,
  alter seen_at type moment,
  alter waiting_since type moment,
  alter check_at type moment,
  alter ended_at type moment;
alter table attempts
  alter forge_runner_id type forge_number,
  alter jit_key_id type key_name,
  alter claimed_at type moment,
  alter minted_at type moment,
  alter delivered_at type moment,
  alter acknowledged_at type moment,
  alter registered_at type moment,
  alter started_at type moment,
  alter ended_at type moment,
  alter check_at type moment,
  -- Where the forge counts its runners: the same number is another runner elsewhere.
  add column forge_scope text;
alter table runners
  alter created_at type moment,
  alter polled_at type moment,
  alter fenced_at type moment,
  alter ended_at type moment,
  alter check_at type moment;
alter table cursors alter at type moment;
alter table leases add constraint leases_token_is_finite check (token < 'infinity');

-- I2: a runner of the forge belongs to one open attempt, by its name and by its number.
create unique index attempts_one_open_a_forge_name on attempts (forge_runner_name) where ended_at is null;
create unique index attempts_one_open_a_forge_runner on attempts (forge_scope, forge_runner_id)
  where ended_at is null and forge_runner_id is not null;

-- The moves of src/domain/{job,attempt,runner}/transition.ts, as moves-sql.ts writes them; a test holds them
-- equal. A job that is taken back and bound again by one plan is written once (see docs/design/ledger.md).
create or replace function job_may_move(was text, becomes text) returns boolean immutable parallel safe
return case was
  when 'queued' then becomes in ('claimed', 'running', 'completed', 'cancelled', 'lost')
  when 'claimed' then becomes in ('queued', 'delivered', 'registered', 'running', 'completed', 'cancelled', 'lost')
  when 'delivered' then becomes in ('queued', 'claimed', 'registered', 'running', 'completed', 'cancelled', 'lost')
  when 'registered' then becomes in ('queued', 'claimed', 'delivered', 'running', 'completed', 'cancelled', 'lost')
  when 'running' then becomes in ('queued', 'claimed', 'delivered', 'registered', 'completed', 'cancelled', 'lost')
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

create function refuse(rule text, what text) returns void language plpgsql as $$
begin
  raise exception '%', what using errcode = 'restrict_violation', constraint = rule;
end $$;

-- What names a row, and what was noted once, does not change.
create function keeps_columns() returns trigger language plpgsql as $$
begin
  perform refuse(tg_name, format('what this would change of %s stays as it was written', tg_table_name));
end $$;
create trigger jobs_keep before update of id, installation, forge_job_id, run_id, seen_at on jobs
  for each row execute function keeps_columns();
create trigger attempts_keep
  before update of id, handle, claimed_job_id, runner_id, forge_runner_name, forge_scope, claimed_at on attempts
  for each row execute function keeps_columns();
create trigger runners_keep before update of id, name, pool, host, created_at on runners
  for each row execute function keeps_columns();
create trigger decisions_keep before update of id, at, rule, job_id, attempt_id, runner_id, facts, actions on decisions
  for each row execute function keeps_columns();
create trigger deliveries_keep before update of guid, installation, event, subject, body, received_at on deliveries
  for each row execute function keeps_columns();

-- A row begins at the beginning.
create function begins_at_its_beginning() returns trigger language plpgsql as $$
begin
  perform refuse(tg_name, format('a row of %s does not begin as %s', tg_table_name, new.state));
end $$;
create trigger jobs_begin before insert on jobs
  for each row when (new.state <> 'queued' or new.conclusion is not null or new.executor is not null)
  execute function begins_at_its_beginning();
create trigger runners_begin before insert on runners
  for each row when (new.state <> 'booting' or new.evidence_id is not null)
  execute function begins_at_its_beginning();

-- Who reads a time and writes it again cuts it to milliseconds.
create function is_kept(was timestamptz, becomes timestamptz) returns boolean immutable parallel safe
return was is null or coalesce(becomes > was - interval '1 millisecond' and becomes <= was, false);

create function jobs_move() returns trigger language plpgsql as $$
begin
  if (old.state = new.state and old.ended_at is null or job_may_move(old.state, new.state))
     and (case when new.ended_at is null then new.conclusion is null and new.forge_completed_at is null
               else new.ended_at > old.seen_at - interval '1 millisecond' end)
     and (new.state <> 'queued' or new.executor is null)
  then
    return new;
  end if;
  if old.state <> new.state and not job_may_move(old.state, new.state) then
    perform refuse('jobs_move', format('a job does not go from %s to %s', old.state, new.state));
  elsif old.state = new.state and old.ended_at is not null then
    perform refuse('jobs_ended', 'a job that has ended does not change');
  elsif new.ended_at is not null then
    perform refuse('jobs_times', 'a job does not end before it was seen');
  end if;
  perform refuse('jobs_facts', 'an open job has no conclusion, and one that waits no executor');
end $$;
-- A claim's own moves are told apart without calling the function.
create trigger jobs_move before update on jobs
  for each row when (old.state <> 'queued' or new.state <> 'claimed'
                     or new.conclusion is not null or new.forge_completed_at is not null)
  execute function jobs_move();

create function runners_move() returns trigger language plpgsql set search_path from current as $$
begin
  if not (old.state = new.state and old.ended_at is null or runner_may_move(old.state, new.state)) then
    perform refuse('runners_move', format('a runner does not go from %s to %s', old.state, new.state));
  end if;
  if (case when new.ended_at is null then new.evidence_id is not null
           else new.ended_at <= old.created_at - interval '1 millisecond' end) then
    perform refuse('runners_times', 'a runner does not end before it was there');
  end if;
  if old.state = 'claimed' and new.state in ('polling', 'fenced')
     and exists (select from attempts where runner_id = new.id and ended_at is null) then
    perform refuse('runners_agree', 'a runner that has an open attempt is neither idle nor sent away');
  end if;
  return new;
end $$;
create trigger runners_move before update of state, fenced_at, ended_at, reason, evidence_id, check_at on runners
  for each row when (old.state <> 'polling' or new.state <> 'claimed' or new.evidence_id is not null)
  execute function runners_move();

create function attempts_move() returns trigger language plpgsql set search_path from current as $$
begin
  if old.ended_at is not null then
    perform refuse('attempts_ended', 'an attempt that has ended does not change');
  end if;
  if old.state <> new.state and not attempt_may_move(old.state, new.state) then
    perform refuse('attempts_move', format('an attempt does not go from %s to %s', old.state, new.state));
  end if;
  if not (is_kept(old.minted_at, new.minted_at) and is_kept(old.delivered_at, new.delivered_at)
          and is_kept(old.acknowledged_at, new.acknowledged_at) and is_kept(old.registered_at, new.registered_at)
          and is_kept(old.started_at, new.started_at)
          and (old.forge_runner_id is null or new.forge_runner_id is not distinct from old.forge_runner_id))
  then
    perform refuse('attempts_noted', 'what was noted of an attempt stays');
  end if;
  if new.evidence_id is not null and new.ended_at is null
     or not (case new.state
              when 'claimed' then new.minted_at is null and new.delivered_at is null and new.forge_runner_id is null
              when 'minted' then new.minted_at is not null and new.delivered_at is null
              when 'delivered' then new.delivered_at is not null and new.registered_at is null
              when 'acknowledged' then new.delivered_at is not null and new.acknowledged_at is not null
                                       and new.registered_at is null
              when 'registered' then new.delivered_at is not null and new.registered_at is not null
                                     and new.started_at is null
              when 'running' then new.delivered_at is not null and new.registered_at is not null
                                  and new.started_at is not null
              else true end)
  then
    perform refuse('attempts_facts', format('an attempt that is %s has other facts', new.state));
  end if;
  -- One that was found at work keeps what was noted before it was opened.
  if least(case when old.minted_at is null then new.minted_at end,
           case when old.delivered_at is null then new.delivered_at end,
           case when old.acknowledged_at is null then new.acknowledged_at end,
           case when old.registered_at is null then new.registered_at end,
           case when old.started_at is null then new.started_at end,
           new.ended_at) <= new.claimed_at - interval '1 millisecond'
     or new.ended_at <= greatest(new.minted_at, new.delivered_at, new.acknowledged_at, new.registered_at,
                                 new.started_at) - interval '1 millisecond'
  then
    perform refuse('attempts_times', 'an attempt does not end before it begins');
  end if;
  -- I2: what is on the wire is not exchanged; what nobody has yet may be sealed anew with another key.
  if old.delivered_at is not null and new.jit is not null and new.jit is distinct from old.jit then
    perform refuse('attempts_jit', 'a JIT that was delivered is not replaced');
  end if;
  -- I3: the end of this attempt, and not another runner's.
  if new.evidence_id is not null and not exists (
       select from evidence where id = new.evidence_id and (kind <> 'runner-death' or runner_id = new.runner_id))
  then
    perform refuse('attempts_evidence', format('evidence %s is about another runner', new.evidence_id));
  end if;
  if old.forge_runner_id is null and new.forge_runner_id is not null then
    new.forge_scope := (select installation || ' ' || repository from jobs where id = new.job_id);
  end if;
  return new;
end $$;
create trigger attempts_move before update on attempts for each row execute function attempts_move();

create function attempts_scope() returns trigger language plpgsql set search_path from current as $$
begin
  new.forge_scope := (select installation || ' ' || repository from jobs where id = new.job_id);
  return new;
end $$;
create trigger attempts_scope before insert on attempts
  for each row when (new.forge_runner_id is not null) execute function attempts_scope();

-- I7: a job that is claimed, delivered or registered has an open attempt that has come as far; one that runs may be run
-- by a runner that is not ours; one that waits or has ended has none. Looked at when a transaction commits.
create function stage_of(attempt text) returns text immutable parallel safe
return case attempt when 'minted' then 'claimed' when 'acknowledged' then 'delivered' else attempt end;

create function agree(job text, attempt text) returns boolean immutable parallel safe
return case when job in ('claimed', 'delivered', 'registered') then coalesce(attempt = job, false)
            when job = 'running' then coalesce(attempt = job, true)
            else attempt is null end;

-- Locked: whoever ends the job meanwhile has not seen the attempt.
create function require_agreement(of_job bigint) returns void language plpgsql set search_path from current as $$
declare
  job text := (select state from jobs where id = of_job for share);
  attempt text := (select stage_of(state) from attempts where job_id = of_job and ended_at is null);
begin
  if job is not null and not agree(job, attempt) then
    perform refuse('jobs_agree', format('job %s is %s, and its attempt is %s', of_job, job, coalesce(attempt, 'none')));
  end if;
end $$;

create function jobs_agree() returns trigger language plpgsql set search_path from current as $$
begin
  if not agree(new.state, (select stage_of(state) from attempts where job_id = new.id and ended_at is null)) then
    perform require_agreement(new.id); -- as it is now: it may have been written again since
  end if;
  return null;
end $$;
create constraint trigger jobs_agree after update of state on jobs deferrable initially deferred
  for each row execute function jobs_agree();

create function attempts_agree() returns trigger language plpgsql set search_path from current as $$
begin
  if old.job_id <> new.job_id or stage_of(old.state) <> stage_of(new.state) then
    perform require_agreement(new.job_id);
    if old.job_id <> new.job_id then
      perform require_agreement(old.job_id);
    end if;
  end if;
  return null;
end $$;
create constraint trigger attempts_agree after update of state, job_id on attempts deferrable initially deferred
  for each row execute function attempts_agree();

-- I1: an attempt is opened by a claim, for a job that is claimed and on a runner that was seated for it, all in one
-- statement: so many claims are looked at together. Or it is opened because its runner was found at work.
create function attempts_claim() returns trigger language plpgsql set search_path from current as $$
declare
  wrong bigint;
begin
  select opened.job_id into wrong
    from opened
    left join jobs on jobs.id = opened.job_id
    left join runners on runners.id = opened.runner_id
   where opened.state = 'claimed'
     and not coalesce(jobs.state = 'claimed' and runners.state = 'claimed' and opened.minted_at is null
                      and opened.delivered_at is null and opened.jit is null, false)
   limit 1;
  if found then
    perform refuse('attempts_open', format('job %s is not claimed for this attempt, or not by its runner', wrong));
  end if;
  return null;
end $$;
create trigger attempts_claim after insert on attempts referencing new table as opened
  for each statement execute function attempts_claim();

create function attempts_open() returns trigger language plpgsql set search_path from current as $$
begin
  if new.state <> 'running' or new.delivered_at is null or new.registered_at is null or new.started_at is null
     or not exists (select from runners where id = new.runner_id and state = 'busy') then
    perform refuse('attempts_open', format('no attempt is opened as %s on runner %s', new.state, new.runner_id));
  end if;
  perform require_agreement((select job_id from attempts where id = new.id));
  return null;
end $$;
create constraint trigger attempts_open after insert on attempts deferrable initially deferred
  for each row when (new.state <> 'claimed') execute function attempts_open();

-- I5: a death that is on record is the end of its runner.
create function deaths_end_runners() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select from runners where id = new.runner_id and evidence_id = new.id)
     and exists (select from runners where id = new.runner_id) then
    perform refuse('evidence_ends', format('runner %s lives, and its death would be on record', new.runner_id));
  end if;
  return null;
end $$;
create constraint trigger evidence_ends after insert on evidence deferrable initially deferred
  for each row when (new.kind = 'runner-death') execute function deaths_end_runners();

-- Tokens, cursors and positions go forwards, and stay.
create function goes_forwards() returns trigger language plpgsql as $$
begin
  perform refuse(tg_name, format('%s of %s goes forwards only', old.name, tg_table_name));
end $$;
create trigger leases_forwards before update on leases
  for each row when (new.token < old.token or new.name <> old.name) execute function goes_forwards();
create trigger leases_stay before delete on leases for each row execute function goes_forwards();
create trigger cursors_forwards before update on cursors
  for each row when (new.at < old.at or new.name <> old.name) execute function goes_forwards();
create trigger cursors_stay before delete on cursors for each row execute function goes_forwards();
create trigger positions_forwards before update on positions
  for each row when (new.at < old.at or new.name <> old.name) execute function goes_forwards();
create trigger positions_stay before delete on positions for each row execute function goes_forwards();

-- Rows leave only into the archive, and only when they are over: what is deleted stands there when the transaction
-- commits, and what is put there is complete. No setting of a session opens this.
drop trigger timeline_keeps_rows on timeline;
drop trigger timeline_keeps_all on timeline;
drop function timeline_is_append_only();
drop trigger evidence_keeps_rows on evidence;
drop trigger evidence_keeps_all on evidence;
drop function evidence_is_sealed();
create trigger timeline_keep before update on timeline for each row execute function keeps_columns();
create trigger evidence_keep before update on evidence for each row execute function keeps_columns();

create function jobs_stay() returns trigger language plpgsql set search_path from current as $$
begin
  if old.ended_at is null or not exists (select from archived_jobs where id = old.id) then
    perform refuse('jobs_stay', format('job %s is not in the archive', old.id));
  end if;
  return null;
end $$;
create constraint trigger jobs_stay after delete on jobs deferrable initially deferred
  for each row execute function jobs_stay();

create function runners_stay() returns trigger language plpgsql set search_path from current as $$
begin
  if old.ended_at is null or not exists (select from archived_runners where id = old.id) then
    perform refuse('runners_stay', format('runner %s is not in the archive', old.id));
  end if;
  return null;
end $$;
create constraint trigger runners_stay after delete on runners deferrable initially deferred
  for each row execute function runners_stay();

create function attempts_stay() returns trigger language plpgsql set search_path from current as $$
begin
  if old.ended_at is null or not exists (select from archived_jobs where id = old.job_id) then
    perform refuse('attempts_stay', format('job %s of this attempt is not in the archive', old.job_id));
  end if;
  return null;
end $$;
create constraint trigger attempts_stay after delete on attempts deferrable initially deferred
  for each row execute function attempts_stay();

create function decisions_stay() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select from archived_jobs where id = old.job_id)
     and (old.job_id is not null or not exists (select from archived_runners where id = old.runner_id)) then
    perform refuse('decisions_stay', format('what decision %s is about is not in the archive', old.id));
  end if;
  return null;
end $$;
create constraint trigger decisions_stay after delete on decisions deferrable initially deferred
  for each row execute function decisions_stay();

create function timeline_stays() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select from archived_jobs where id = old.job_id)
     and (old.job_id is not null or old.subject <> 'runner'
          or not exists (select from archived_runners where id = old.subject_id)) then
    perform refuse('timeline_stays', format('what row %s of the timeline is about is not in the archive', old.id));
  end if;
  return null;
end $$;
create constraint trigger timeline_stays after delete on timeline deferrable initially deferred
  for each row execute function timeline_stays();

-- Evidence goes with what it ended, and never by itself: a death with its runner, by the foreign key; a proof with the
-- last attempt that names it.
create function evidence_stays() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    perform refuse('evidence_stays', 'sealed evidence goes only with what it ended');
  end if;
  return old;
end $$;
create trigger evidence_stays before delete on evidence for each row execute function evidence_stays();

create function proofs_go_with_attempts() returns trigger language plpgsql security definer
set search_path from current as $$
begin
  delete from evidence
   where id in (select evidence_id from gone)
     and kind <> 'runner-death'
     and not exists (select from attempts where attempts.evidence_id = evidence.id);
  return null;
end $$;
create trigger attempts_proofs after delete on attempts referencing old table as gone
  for each statement execute function proofs_go_with_attempts();

-- What came after the file was read makes it incomplete: the transaction is run again.
create function archive_is_whole() returns trigger language plpgsql set search_path from current as $$
begin
  if exists (select from put
               left join jobs on jobs.id = put.id
              where not coalesce(jobs.ended_at is not null and jobs.installation = put.installation
                                 and jobs.forge_job_id = put.forge_job_id, false)
                 or exists (select from attempts where attempts.job_id = put.id and attempts.ended_at is null)) then
    perform refuse('archived_jobs_over', 'only a job that is over is put into the archive');
  end if;
  if exists (select from put
              where not coalesce(
                jsonb_array_length(file -> 'timeline') = (select count(*) from timeline where job_id = put.id)
                and jsonb_array_length(file -> 'decisions') = (select count(*) from decisions where job_id = put.id)
                and jsonb_array_length(file -> 'attempts') = (select count(*) from attempts where job_id = put.id),
                false)) then
    raise exception 'the file of a job is not whole' using errcode = 'serialization_failure';
  end if;
  return null;
end $$;
create trigger archived_jobs_whole after insert on archived_jobs referencing new table as put
  for each statement execute function archive_is_whole();

create function archived_jobs_once() returns trigger language plpgsql set search_path from current as $$
begin
  if exists (select from jobs where id = new.id) then
    perform refuse('archived_jobs_once', format('job %s is in the archive, and not over', new.id));
  end if;
  return null;
end $$;
create constraint trigger archived_jobs_once after insert on archived_jobs deferrable initially deferred
  for each row execute function archived_jobs_once();

create function archived_runners_once() returns trigger language plpgsql set search_path from current as $$
begin
  if exists (select from runners where id = new.id) then
    perform refuse('archived_runners_once', format('runner %s is in the archive, and not over', new.id));
  end if;
  return null;
end $$;
create constraint trigger archived_runners_once after insert on archived_runners deferrable initially deferred
  for each row execute function archived_runners_once();

create function archived_runners_over() returns trigger language plpgsql set search_path from current as $$
begin
  if not exists (select from runners where id = new.id and ended_at is not null and evidence_id = new.evidence_id) then
    perform refuse('archived_runners_over', format('runner %s has not ended with this death', new.id));
  end if;
  return new;
end $$;
create trigger archived_runners_over before insert on archived_runners
  for each row execute function archived_runners_over();

create function is_not_emptied() returns trigger language plpgsql as $$
begin
  perform refuse(tg_name, format('%s is not emptied', tg_table_name));
end $$;
do $$
declare
  kept text;
begin
  foreach kept in array array['jobs', 'attempts', 'runners', 'evidence', 'timeline', 'decisions', 'archived_jobs',
                              'archived_runners', 'ends', 'leases', 'cursors', 'positions'] loop
    execute format('create trigger %I before truncate on %I for each statement execute function is_not_emptied()',
                   kept || '_all_stay', kept);
  end loop;
end $$;
