-- A job has one life: what is archived never comes back, and one job that cannot be archived stops no other.

-- A word that comes while its job is being archived waits at the unique key of `jobs` until the row is deleted, with a
-- snapshot in which the archive does not have it yet. A statement inside of a trigger has a snapshot of its own, taken
-- after that wait: it sees what the archive committed. The writer is told that it lost a race, and finds the job when it
-- tries again.
create function job_is_not_archived() returns trigger language plpgsql as $$
begin
  if exists (select from archived_jobs
              where installation = new.installation and forge_job_id = new.forge_job_id) then
    raise exception 'job % of % is archived', new.forge_job_id, new.installation
      using errcode = 'serialization_failure';
  end if;
  return null;
end $$;
create trigger jobs_have_one_life after insert on jobs
  for each row execute function job_is_not_archived();

-- Earlier versions let some through. Such a job is archived beside its first life, which is the one that counts.
alter table archived_jobs add column life integer not null default 1 check (life >= 1);
alter table archived_jobs drop constraint archived_jobs_installation_forge_job_id_key;
alter table archived_jobs add unique (installation, forge_job_id, life);

-- What could not be moved to the archive, until it can be.
create table set_aside (
  kind     text not null check (kind in ('job', 'runner')),
  id       bigint not null,
  reason   text not null,
  tries    integer not null default 1,
  since    timestamptz not null default now(),
  retry_at timestamptz not null,
  primary key (kind, id)
);
