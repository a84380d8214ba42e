-- Forges do not tell owners and repositories by case: caps, shares and holds count `Acme/App` and `acme/app` as one.
drop index jobs_queue_by_repository;
create index jobs_queue_by_repository on jobs (pool, lower(repository), share_tag) where state = 'queued';
drop index jobs_in_service;
create index jobs_in_service on jobs (pool, lower(repository), share_tag)
  where state in ('claimed', 'delivered', 'registered', 'running');
