-- What the database's clock said last: it may be set back, and then what was to happen later comes earlier by as much.
create table clock (
  id boolean primary key default true check (id),
  at timestamptz not null
);

-- A job that does not back off waits for no time at all, so that no clock keeps it waiting.
alter table jobs alter column not_before set default to_timestamp(0);
