-- What a fleet in a cluster needs: who leads, runners whose proof comes later, nodes that start nothing.

-- A pod proves who it is when it first asks for work; until then nobody knows by what.
alter table runners alter column identity_hash drop not null;

-- The greatest fencing token of each lease in whose name something was written. A token is the version of an object
-- in the cluster: a decimal number of which nobody promises that 64 bits hold it.
create table leases (
  name  text primary key,
  token numeric not null check (token >= 0 and scale(token) = 0)
);

-- Runners that ended where they were placed before their program started. A record is kilobytes: what a start left
-- behind is found without reading those of all deaths. The condition stands word for word in runner/failed-starts.ts.
create index evidence_failed_starts on evidence (sealed_at)
  where kind = 'runner-death'
    and record #>> '{ending,pod,place,node}' is not null
    and (record #>> '{ending,startedAt}' is null or record ->> 'class' = 'never-started');
