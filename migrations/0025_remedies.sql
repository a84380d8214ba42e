-- The steps of all remedies, chained by hash, and their plans (docs/remedies.md). A row is appended under the lock of the
-- head, so that two processes cannot fork the chain. Nothing of it changes afterwards, and retention takes nothing of it.
-- Who lifts these locks is found by the chain: `holdfast trail verify`.
create domain sha256_hex as text check (value ~ '^[0-9a-f]{64}$');

create table remedy_trail (
  number   bigint primary key check (number > 0),
  previous sha256_hex not null,
  hash     sha256_hex not null unique,
  -- Not jsonb: a proof may quote characters that it refuses, and a step that was done must be noted.
  entry    json not null,
  noted_at moment not null default now()
);

-- One row. Apart from the rows of the trail, so that the last of these cannot be cut off unseen.
create table remedy_trail_head (
  id    boolean primary key default true check (id),
  count bigint not null default 0,
  hash  sha256_hex not null default repeat('0', 64),
  -- The fencing token of the run that may append.
  run   bigint not null default 0
);
insert into remedy_trail_head default values;

-- A plan is proven by its hash.
create table remedy_plans (
  hash     sha256_hex primary key,
  plan     json not null,
  noted_at moment not null default now()
);
create index remedy_plans_by_age on remedy_plans (noted_at, hash);

create function remedy_trail_follows() returns trigger language plpgsql as $$
begin
  if not exists (select from remedy_trail_head where count = new.number - 1 and hash = new.previous) then
    perform refuse('remedy_trail_follows', format('row %s does not follow the head of the trail', new.number));
  end if;
  return new;
end $$;
create trigger remedy_trail_follows before insert on remedy_trail
  for each row execute function remedy_trail_follows();

create function remedy_trail_ends_at_head() returns trigger language plpgsql as $$
begin
  if not exists (select from remedy_trail_head where count >= new.number) then
    perform refuse('remedy_trail_ends_at_head', format('the head of the trail does not name row %s', new.number));
  end if;
  return null;
end $$;
create constraint trigger remedy_trail_ends_at_head after insert on remedy_trail deferrable initially deferred
  for each row execute function remedy_trail_ends_at_head();

create function remedy_trail_head_moves() returns trigger language plpgsql as $$
begin
  if new.count = old.count and new.hash = old.hash and new.run = old.run + 1
     or new.run = old.run and new.count = old.count + 1
        and exists (select from remedy_trail
                     where number = new.count and previous = old.hash and hash = new.hash)
  then
    return new;
  end if;
  perform refuse('remedy_trail_head_moves', 'the head of the trail goes to the next row, or to the next run');
end $$;
create trigger remedy_trail_head_moves before update on remedy_trail_head
  for each row execute function remedy_trail_head_moves();

create function remedy_trail_head_begins() returns trigger language plpgsql as $$
begin
  perform refuse('remedy_trail_head_begins', 'the head of a trail begins before its first row');
end $$;
create trigger remedy_trail_head_begins before insert on remedy_trail_head
  for each row when (new.count <> 0 or new.hash <> repeat('0', 64) or new.run <> 0)
  execute function remedy_trail_head_begins();

create trigger remedy_trail_keep before update on remedy_trail for each row execute function keeps_columns();
create trigger remedy_plans_keep before update on remedy_plans for each row execute function keeps_columns();

create function remedy_trail_stays() returns trigger language plpgsql as $$
begin
  perform refuse(tg_name, format('nothing of %s is deleted', tg_table_name));
end $$;
create trigger remedy_trail_stays before delete on remedy_trail for each row execute function remedy_trail_stays();
create trigger remedy_trail_head_stays before delete on remedy_trail_head
  for each row execute function remedy_trail_stays();
create trigger remedy_trail_all_stay before truncate on remedy_trail
  for each statement execute function is_not_emptied();
create trigger remedy_trail_head_all_stay before truncate on remedy_trail_head
  for each statement execute function is_not_emptied();

-- A session's temporary tables do not hide those of the ledger.
do $$
declare
  each regprocedure;
begin
  foreach each in array array['remedy_trail_follows()', 'remedy_trail_ends_at_head()', 'remedy_trail_head_moves()',
                              'remedy_trail_head_begins()', 'remedy_trail_stays()']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', each, current_schema());
  end loop;
end $$;
