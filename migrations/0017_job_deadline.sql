-- That a job ran for longer than its runner's pool lets one run, and what the forge said when it was asked to cancel it:
-- noted before anything is done about it, and kept from then on.
alter table attempts add column past_deadline jsonb
  constraint attempts_past_deadline check (past_deadline is null or started_at is not null);

create function attempts_past_deadline() returns trigger language plpgsql set search_path from current as $$
begin
  if new.past_deadline is null or new.past_deadline - 'cancel' <> old.past_deadline - 'cancel'
     or (old.past_deadline ->> 'cancel' is not null and new.past_deadline <> old.past_deadline)
  then
    perform refuse('attempts_noted', 'what was noted of an attempt stays');
  end if;
  return new;
end $$;
create trigger attempts_past_deadline before update of past_deadline on attempts
  for each row when (old.past_deadline is not null) execute function attempts_past_deadline();
