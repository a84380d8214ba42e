import { describeAttacks } from '../../../../../test/support/ledger-attacks.ts'

/** SQLSTATE: the role may not do this. */
const noRight = '42501'

const incident = (key: string) => `insert into incidents (kind, installation, scope, key, reason)
                                   values ('actions-disabled', 'forge', 'repository', '${key}', 'no')`
const hold = (incidentId: string) => `insert into holds (kind, key, incident_id, reason, until)
                                      values ('repository', 'acme/a', ${incidentId}, 'no', now())`
const note = `insert into timeline (subject, subject_id, job_id, kind, source) values ('job', 1, 1, 'more', 'audit')`
const evidence = `insert into evidence (kind, record) values ('forge-word', '{"better": true}')`

describeAttacks('what the database refuses of history, from any writer', [
  {
    rule: 'the timeline does not change',
    refused: `update timeline set kind = 'never' where id = 1`,
    by: noRight,
    allowed: note,
  },
  {
    rule: 'the timeline is kept',
    refused: 'delete from timeline where id = 2',
    by: 'timeline_stays',
    allowed: note,
  },
  {
    rule: 'no setting opens the timeline of an open job',
    refused: `set local holdfast.archiving = 'on'; delete from timeline where id = 1`,
    by: 'timeline_stays',
    allowed: note,
  },
  {
    rule: 'no setting opens the timeline of a job that ended and is not archived',
    refused: `set local holdfast.archiving = 'on'; delete from timeline where id = 2`,
    by: 'timeline_stays',
    allowed: note,
  },
  {
    rule: 'the timeline of a runner that is not archived is kept',
    refused: 'delete from timeline where id = 3',
    by: 'timeline_stays',
    allowed: note,
  },
  {
    rule: 'the timeline is not backdated',
    refused: `insert into timeline (subject, subject_id, kind, source, at) values ('job', 1, 'x', 'x', '1970-01-01')`,
    by: noRight,
    allowed: note,
  },
  { rule: 'the timeline is not emptied', refused: 'truncate timeline', by: noRight, allowed: note },
  { rule: 'evidence is not emptied', refused: 'truncate evidence cascade', by: noRight, allowed: evidence },
  {
    rule: 'what is archived is not deleted',
    refused: 'delete from archived_jobs',
    by: noRight,
    allowed: `select purge_archived_jobs('1 day', 10), purge_archived_runners('1 day', 10)`,
  },
  {
    rule: 'what is archived is not changed',
    refused: `update archived_jobs set file = '{}'`,
    by: noRight,
    allowed: 'select from archived_jobs',
  },
  {
    rule: 'the program cannot lift a lock',
    refused: 'alter table timeline disable trigger all',
    by: noRight,
    allowed: note,
  },
  {
    rule: 'the program cannot go behind the triggers',
    refused: 'set local session_replication_role = replica',
    by: noRight,
    allowed: note,
  },
  {
    rule: "a session's own table does not hide the archive",
    refused: `create temp table archived_jobs as select 3::bigint as id; delete from timeline where id = 2`,
    by: 'timeline_stays',
    allowed: `create temp table archived_jobs as select 3::bigint as id; ${note}`,
  },
  {
    rule: 'a decision does not change',
    refused: `update decisions set facts = '{"a": 1}' where id = 1`,
    by: noRight,
    allowed: `update decisions set outcome = 'done', outcome_at = now() where id = 1`,
  },
  {
    rule: 'a decision is kept',
    refused: 'delete from decisions where id = 2',
    by: 'decisions_stay',
    allowed: `insert into decisions (rule, facts, actions) values ('x', '{}', '{}')`,
  },
  {
    rule: 'sealed evidence does not change',
    refused: `update evidence set record = '{"x": 1}' where id = 1`,
    by: noRight,
    allowed: evidence,
  },
  {
    rule: 'sealed evidence is kept',
    refused: 'delete from evidence where id = 1',
    by: noRight,
    allowed: evidence,
  },
  {
    rule: 'no setting opens sealed evidence',
    refused: `set local holdfast.archiving = 'on'; delete from evidence where id = 1`,
    by: noRight,
    allowed: evidence,
  },
  {
    rule: 'a death record names its runner',
    refused: `insert into evidence (kind, record) values ('runner-death', '{}')`,
    by: 'evidence_check',
    allowed: evidence,
  },
  {
    rule: "a lease's token goes forwards",
    refused: 'update leases set token = 3',
    by: 'leases_forwards',
    allowed: 'update leases set token = 6',
  },
  {
    rule: "a lease's token is a whole number of any size",
    refused: `insert into leases values ('a', 1.5)`,
    by: 'leases_token_check',
    allowed: `insert into leases values ('a', 18446744073709551616)`,
  },
  {
    rule: "a lease's token can be exceeded",
    refused: `insert into leases values ('a', 'infinity')`,
    by: 'leases_token_is_finite',
    allowed: `insert into leases values ('a', 1)`,
  },
  {
    rule: 'a cursor goes forwards',
    refused: `update cursors set at = '1970-01-01'`,
    by: 'cursors_forwards',
    allowed: `update cursors set at = now() + interval '1 second'`,
  },
  {
    rule: 'a cursor is a time',
    refused: `update cursors set at = 'infinity'`,
    by: 'moment_check',
    allowed: `update cursors set at = now() + interval '1 second'`,
  },
  {
    rule: 'a position goes forwards',
    refused: 'update positions set at = 1',
    by: 'positions_forwards',
    allowed: 'update positions set at = 6',
  },
  {
    rule: 'what a forge delivered does not change',
    refused: `update deliveries set body = 'other' where guid = 'guid'`,
    by: 'deliveries_keep',
    allowed: `update deliveries set tries = tries + 1 where guid = 'guid'`,
  },
  {
    rule: 'an incident is open once',
    refused: `${incident('acme/a')}; ${incident('acme/a')}`,
    by: 'incidents_open',
    allowed: `${incident('acme/a')}; update incidents set closed_at = now(); ${incident('acme/a')}; ${incident('acme/b')}`,
  },
  {
    rule: 'a repository is held once for one reason',
    refused: `${hold('null')}; ${hold('null')}`,
    by: 'holds_kind_key_incident_id_key',
    allowed: `${incident('acme/a')}; ${hold('null')}; ${hold('(select id from incidents)')}`,
  },
])

describeAttacks(
  'what the database refuses of history where one role owns everything',
  [
    {
      rule: 'the timeline does not change',
      refused: `update timeline set kind = 'never' where id = 1`,
      by: 'timeline_keep',
      allowed: note,
    },
    {
      rule: 'a decision does not change',
      refused: `update decisions set facts = '{"a": 1}' where id = 1`,
      by: 'decisions_keep',
      allowed: `update decisions set outcome = 'done' where id = 1`,
    },
    {
      rule: 'sealed evidence does not change',
      refused: `update evidence set record = '{"x": 1}' where id = 1`,
      by: 'evidence_keep',
      allowed: evidence,
    },
    {
      rule: 'sealed evidence is kept',
      refused: `set local holdfast.archiving = 'on'; delete from evidence where id = 1`,
      by: 'evidence_stays',
      allowed: evidence,
    },
    {
      rule: 'the timeline is not emptied',
      refused: 'truncate timeline',
      by: 'timeline_all_stay',
      allowed: note,
    },
    {
      rule: 'evidence is not emptied',
      refused: 'truncate evidence cascade',
      by: 'evidence_all_stay',
      allowed: evidence,
    },
  ],
  'owner',
)
