-- What the agents of nodes saw of runners from outside, the newest of each pod.
create table host_rings (
  -- The pod's UID, or the name of a runner that is a process.
  pod_uid    text primary key check (pod_uid <> ''),
  node       text not null,
  pushed_at  timestamptz not null default now(),
  ended_at   timestamptz,
  -- Of two rings the one that reaches further is the newer.
  seen_until timestamptz not null,
  -- Whether a runner's death is known to be about it. Agents see every pod of their node: of the others few are kept.
  is_runners boolean not null default false,
  ring       jsonb not null
);
create index host_rings_pushed on host_rings (pushed_at);
create index host_rings_strangers on host_rings (pushed_at, pod_uid) where not is_runners;

-- A ring is matched to a death by its pod.
create index evidence_by_pod on evidence ((record #>> '{ending,pod,place,uid}'))
  where kind = 'runner-death' and record #>> '{ending,pod,place,uid}' is not null;

-- A hundred samples name the same fields: lz4 packs them to a tenth, where the server was built with it.
do $$
begin
  alter table host_rings alter column ring set compression lz4;
exception when feature_not_supported then
  null;
end $$;
