-- Hosts of runners say that they live: what runs on one that falls silent for good is no capacity.
create table hosts (
  id            text primary key,
  -- local or kubernetes; unknown until its first heartbeat.
  kind          text not null,
  first_seen_at timestamptz not null default now(),
  heartbeat_at  timestamptz not null default now(),
  -- Since when its heartbeats came without a long pause: who was away itself does not judge others by their silence.
  beating_since timestamptz not null default now(),
  -- It was silent for so long that its runners were given up, and none is left; a later heartbeat takes it back.
  ended_at      timestamptz
);
-- The time of those that are known begins with this version.
insert into hosts (id, kind) select distinct host, 'unknown' from runners where ended_at is null;
