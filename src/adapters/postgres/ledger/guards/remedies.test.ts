import { type Attack, describeAttacks } from '../../../../../test/support/ledger-attacks.ts'

/** SQLSTATE: the role may not do this. */
const noRight = '42501'

const [zero, a, b] = ['0', 'a', 'b'].map((digit) => digit.repeat(64))
const row = (number: number, previous = zero, hash = a) =>
  `insert into remedy_trail (number, previous, hash, entry) values (${number}, '${previous}', '${hash}', '{}')`
const head = (count: number, hash = a) => `update remedy_trail_head set count = ${count}, hash = '${hash}'`
/** One row, as an append leaves it. */
const appended = `${row(1)}; ${head(1)}`
const plan = `insert into remedy_plans (hash, plan) values ('${a}', '{}')`

const fromAnyWriter: readonly Attack[] = [
  {
    rule: 'a row of the trail follows the head',
    refused: row(2),
    by: 'remedy_trail_follows',
    allowed: appended,
  },
  {
    rule: 'a row of the trail names the hash of the head',
    refused: row(1, b),
    by: 'remedy_trail_follows',
    allowed: appended,
  },
  {
    rule: 'the trail is not forked',
    refused: `${appended}; ${row(1, zero, b)}`,
    by: 'remedy_trail_follows',
    allowed: `${appended}; ${row(2, a, b)}; ${head(2, b)}`,
  },
  {
    rule: 'a row of the trail is named by the head when its transaction commits',
    refused: row(1),
    by: 'remedy_trail_ends_at_head',
    allowed: appended,
  },
  {
    rule: 'the head goes to a row that there is',
    refused: head(1),
    by: 'remedy_trail_head_moves',
    allowed: appended,
  },
  {
    rule: 'the head does not go back',
    refused: `${appended}; ${head(0, zero)}`,
    by: 'remedy_trail_head_moves',
    allowed: appended,
  },
  {
    rule: 'the token of a run goes forwards, and not together with the head',
    refused: `${row(1)}; update remedy_trail_head set count = 1, hash = '${a}', run = run + 1`,
    by: 'remedy_trail_head_moves',
    allowed: 'update remedy_trail_head set run = run + 1',
  },
  {
    rule: 'a trail has one head',
    refused: 'insert into remedy_trail_head (id) values (false)',
    by: 'remedy_trail_head_id_check',
    allowed: 'insert into remedy_trail_head default values on conflict do nothing',
  },
  {
    rule: 'a hash is a hash',
    refused: row(1, zero, 'no hash'),
    by: 'sha256_hex_check',
    allowed: appended,
  },
  {
    rule: "a session's own table does not hide the head",
    refused: `create temp table remedy_trail_head as select true as id, 1::bigint as count, '${a}'::text as hash; ${row(2, a, b)}`,
    by: 'remedy_trail_follows',
    allowed: appended,
  },
]

describeAttacks('what the database refuses of the trail of remedies, from any writer', [
  ...fromAnyWriter,
  {
    rule: 'a row of the trail does not change',
    refused: `${appended}; update remedy_trail set entry = '{"x": 1}'`,
    by: noRight,
    allowed: appended,
  },
  {
    rule: 'a row of the trail is kept',
    refused: `${appended}; delete from remedy_trail`,
    by: noRight,
    allowed: appended,
  },
  {
    rule: 'the trail is not backdated',
    refused: `insert into remedy_trail (number, previous, hash, entry, noted_at) values (1, '${zero}', '${a}', '{}', '1970-01-01')`,
    by: noRight,
    allowed: appended,
  },
  {
    rule: 'the head is kept',
    refused: 'delete from remedy_trail_head',
    by: noRight,
    allowed: 'select from remedy_trail_head',
  },
  { rule: 'the trail is not emptied', refused: 'truncate remedy_trail', by: noRight, allowed: appended },
  {
    rule: 'the program cannot lift a lock of the trail',
    refused: 'alter table remedy_trail disable trigger all',
    by: noRight,
    allowed: appended,
  },
  {
    rule: 'a plan does not change',
    refused: `${plan}; update remedy_plans set plan = '{"x": 1}'`,
    by: noRight,
    allowed: `${plan}; delete from remedy_plans`,
  },
])

describeAttacks(
  'what the database refuses of the trail of remedies where one role owns everything',
  [
    ...fromAnyWriter,
    {
      rule: 'a row of the trail does not change',
      refused: `${appended}; update remedy_trail set entry = '{"x": 1}'`,
      by: 'remedy_trail_keep',
      allowed: appended,
    },
    {
      rule: 'a row of the trail is kept',
      refused: `${appended}; delete from remedy_trail`,
      by: 'remedy_trail_stays',
      allowed: appended,
    },
    {
      rule: 'the head is kept',
      refused: 'delete from remedy_trail_head',
      by: 'remedy_trail_head_stays',
      allowed: 'select from remedy_trail_head',
    },
    {
      rule: 'a head does not begin in the middle',
      refused: `insert into remedy_trail_head (count) values (3)`,
      by: 'remedy_trail_head_begins',
      allowed: 'insert into remedy_trail_head default values on conflict do nothing',
    },
    {
      rule: 'the trail is not emptied',
      refused: 'truncate remedy_trail',
      by: 'remedy_trail_all_stay',
      allowed: appended,
    },
    {
      rule: 'the head is not emptied',
      refused: 'truncate remedy_trail_head',
      by: 'remedy_trail_head_all_stay',
      allowed: appended,
    },
    {
      rule: 'a plan does not change',
      refused: `${plan}; update remedy_plans set plan = '{"x": 1}'`,
      by: 'remedy_plans_keep',
      allowed: `${plan}; delete from remedy_plans`,
    },
  ],
  'owner',
)
