-- What a job's workflow is called, by the forge's word when the job was first heard of; null where it did not say.
alter table jobs add column workflow text;
