-- What recovery did to runners that cannot be taken back, for as long as it counts against a bound of an hour. Apart from
-- the decisions themselves, which leave with their jobs into the archive, maybe sooner.
create table bounded_acts (
  decision_id bigint primary key,
  at          timestamptz not null default now(),
  kind        text not null,
  runner_id   bigint not null,
  -- Null where nobody can say on which node the runner is.
  node        text
);
create index bounded_acts_lately on bounded_acts (kind, at);
