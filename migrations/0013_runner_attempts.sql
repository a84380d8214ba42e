-- Whether a runner was ever given an attempt, as a fact of its own: that no row of an attempt is found proves nothing,
-- because attempts leave with their jobs. Null: not known.
alter table runners add column ever_claimed boolean;
update runners set ever_claimed = true
 where exists (select from attempts where attempts.runner_id = runners.id)
    or exists (select from archived_jobs where runner_ids <> '{}' and runner_ids @> array[runners.id]);
update runners set ever_claimed = false where ever_claimed is null and state = 'booting';
alter table runners alter column ever_claimed set default false;
alter table runners add constraint runners_ever_claimed
  check (state not in ('claimed', 'busy') or ever_claimed is distinct from false);
