-- Who may have written what a job runs, by the forge's word; null where it has not said. Pools refuse what is not proven.
alter table jobs add column visibility text, add column is_fork boolean;
