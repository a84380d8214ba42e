-- Jobs of a forge installation that is not served any more can be closed by a person, whose word is the evidence.
alter table evidence drop constraint evidence_kind_check;
alter table evidence add constraint evidence_kind_check
  check (kind in ('forge-word', 'never-registered', 'retired', 'runner-death'));
alter domain end_reason drop constraint end_reason_check;
alter domain end_reason add constraint end_reason_check check (value in
  ('mint-failed', 'claim-expired', 'never-registered', 'finished', 'runner-gone', 'taken-elsewhere', 'retired'));
