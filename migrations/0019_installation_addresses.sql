-- Which server an installation's name stands for: two of one kind, used one after the other, number their jobs alike.
-- A name from before has none yet, and becomes that of the first server of its kind that is served.
create table installation_addresses (
  address  text primary key,
  name     text not null unique references installations,
  noted_at timestamptz not null default now()
);
