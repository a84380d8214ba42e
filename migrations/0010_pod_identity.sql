-- A runner is told from whatever else may have its name by the UID of its pod; null where it has none, or none is known.
create domain pod_uid as text check (length(value) <= 128);
alter table runners add column pod_uid pod_uid;
