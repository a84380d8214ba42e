import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { attempt, death, endFirst, endJob, hold, incident } from './testing/statements.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Two jobs and two runners that poll; an attempt of the first that is claimed, and its evidence to come. */
beforeEach(async () => {
  await bench.empty()
  await bench.run(`
    insert into installations (name) values ('forge');
    insert into pools (name, spec) values ('linux', '{"fairness": {"ageingMs": 1000}}');
    insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, pool, priority,
                      share_tag, check_at)
    select 'forge', n, 1, 1, 'acme/app', 'build', '{}', 'linux', 2, 0, now() from generate_series(1, 2) as n;
    insert into runners (name, pool, host, identity_hash, state, check_at)
    select 'linux-' || n, 'linux', 'host-1', 'hash', 'polling', now() from generate_series(1, 2) as n;
    insert into evidence (kind, record) values ('forge-word', '{}');
    insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
    values (gen_random_uuid(), 1, 1, 1, 'linux-1-a', now());
    insert into timeline (subject, subject_id, job_id, kind, source) values ('job', 1, 1, 'seen', 'webhook');`)
})

const newest = '(select max(id) from evidence)'

/** SQLSTATEs of a refusal. */
const check = '23514'
const unique = '23505'
const foreignKey = '23503'
const restrict = '23001'
const notNull = '23502'

/** Each forbidden act with the nearest one that is allowed, so that it is the rule that refuses, and not a slip. */
const pairs: readonly {
  readonly rule: string
  readonly refused: string
  readonly state: string
  readonly allowed: string
}[] = [
  {
    rule: 'I1: a job has at most one open attempt',
    refused: attempt({ job: 1, runner: 2 }),
    state: unique,
    allowed: `${endFirst()}; ${attempt({ job: 1, runner: 2 })}`,
  },
  {
    rule: 'I1: a runner has at most one open attempt',
    refused: attempt({ job: 2, runner: 1 }),
    state: unique,
    allowed: `${endFirst()}; ${attempt({ job: 2, runner: 1 })}`,
  },
  {
    rule: 'a lease has a whole number as its token, of any size',
    refused: `insert into leases values ('a', 1.5)`,
    state: check,
    allowed: `insert into leases values ('a', 18446744073709551616)`,
  },
  {
    rule: 'I2: a handle is used once',
    refused: `insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
              select handle, 2, 2, 2, 'linux-2-a', now() from attempts`,
    state: unique,
    allowed: attempt({ job: 2, runner: 2 }),
  },
  {
    rule: 'I2: a JIT is not kept once its runner has registered',
    refused: `update attempts set state = 'registered', minted_at = now(), registered_at = now(), jit = 'x', jit_key_id = 'k'`,
    state: check,
    allowed: `update attempts set state = 'acknowledged', minted_at = now(), jit = 'x', jit_key_id = 'k'`,
  },
  {
    rule: 'I2: a JIT is not kept once its attempt has ended',
    refused: `update attempts set minted_at = now(), jit = 'x', jit_key_id = 'k', state = 'ended', ended_at = now(),
                                  end_reason = 'claim-expired'`,
    state: check,
    allowed: `update attempts set minted_at = now(), state = 'ended', ended_at = now(), end_reason = 'claim-expired'`,
  },
  {
    rule: 'I2: a JIT has the id of its key',
    refused: `update attempts set state = 'minted', minted_at = now(), jit = 'x'`,
    state: check,
    allowed: `update attempts set state = 'minted', minted_at = now(), jit = 'x', jit_key_id = 'k'`,
  },
  {
    rule: 'I3: a delivered attempt ends only with evidence',
    refused: `update attempts set delivered_at = now(), state = 'ended', ended_at = now(), end_reason = 'finished'`,
    state: check,
    allowed: `update attempts set delivered_at = now(), state = 'ended', ended_at = now(), end_reason = 'finished',
                                  evidence_id = 1`,
  },
  {
    rule: 'I3: evidence that an attempt names exists',
    refused: 'update attempts set evidence_id = 99',
    state: foreignKey,
    allowed: 'update attempts set evidence_id = 1',
  },
  {
    rule: 'I5: a runner ends only with its death on record',
    refused: `update runners set state = 'ended', ended_at = now() where id = 2`,
    state: check,
    allowed: `${death(2)}; update runners set state = 'ended', ended_at = now(), evidence_id = ${newest} where id = 2`,
  },
  {
    rule: 'I5: a runner does not end with evidence of something else',
    refused: `update runners set state = 'ended', ended_at = now(), evidence_id = 1 where id = 2`,
    state: foreignKey,
    allowed: `${death(2)}; update runners set state = 'ended', ended_at = now(), evidence_id = ${newest} where id = 2`,
  },
  {
    rule: 'I5: a runner dies once',
    refused: `${death(2)}; ${death(2)}`,
    state: unique,
    allowed: `${death(2)}; ${death(1)}`,
  },
  {
    rule: 'I5: a death record names its runner',
    refused: `insert into evidence (kind, record) values ('runner-death', '{}')`,
    state: check,
    allowed: death(2),
  },
  {
    rule: 'a job is in a state that there is',
    refused: `update jobs set state = 'paused' where id = 2`,
    state: check,
    allowed: `update jobs set state = 'claimed' where id = 2`,
  },
  {
    rule: 'an attempt is in a state that there is',
    refused: `update attempts set state = 'paused'`,
    state: check,
    allowed: `update attempts set state = 'minted'`,
  },
  {
    rule: 'a runner is in a state that there is',
    refused: `update runners set state = 'paused' where id = 2`,
    state: check,
    allowed: `update runners set state = 'fenced' where id = 2`,
  },
  {
    rule: 'an attempt ends for a reason that there is',
    refused: `update attempts set state = 'ended', ended_at = now(), end_reason = 'bored'`,
    state: check,
    allowed: endFirst(),
  },
  {
    rule: 'a job that has ended says when',
    refused: `update jobs set state = 'completed', conclusion = 'success' where id = 2`,
    state: check,
    allowed: `update jobs set state = 'completed', conclusion = 'success', ended_at = now() where id = 2`,
  },
  {
    rule: 'a job that has an end has ended',
    refused: 'update jobs set ended_at = now() where id = 2',
    state: check,
    allowed: `update jobs set state = 'lost', ended_at = now() where id = 2`,
  },
  {
    rule: 'a job that is completed says how',
    refused: `update jobs set state = 'completed', ended_at = now() where id = 2`,
    state: check,
    allowed: `update jobs set state = 'completed', ended_at = now(), conclusion = 'failure' where id = 2`,
  },
  {
    rule: 'a job that runs says on whom',
    refused: `update jobs set state = 'running' where id = 2`,
    state: check,
    allowed: `update jobs set state = 'running', executor = 'somebody' where id = 2`,
  },
  {
    rule: 'a quarantined job is not given out',
    refused: `update jobs set state = 'claimed', quarantine = 'no' where id = 2`,
    state: check,
    allowed: `update jobs set state = 'queued', quarantine = 'no' where id = 2`,
  },
  {
    rule: 'an attempt that has ended says when',
    refused: `update attempts set state = 'ended', end_reason = 'finished'`,
    state: check,
    allowed: endFirst(),
  },
  {
    rule: 'an attempt that has ended says why',
    refused: `update attempts set state = 'ended', ended_at = now()`,
    state: check,
    allowed: endFirst(),
  },
  {
    rule: 'a runner that has ended says when',
    refused: `${death(2)}; update runners set state = 'removed', evidence_id = ${newest} where id = 2`,
    state: check,
    allowed: `${death(2)}; update runners set state = 'removed', evidence_id = ${newest}, ended_at = now() where id = 2`,
  },
  {
    rule: 'a job of the forge is known once',
    refused: 'update jobs set forge_job_id = 1 where id = 2',
    state: unique,
    allowed: 'update jobs set forge_job_id = 3 where id = 2',
  },
  {
    rule: 'an attempt has a job',
    refused: attempt({ job: 99, runner: 2 }),
    state: foreignKey,
    allowed: attempt({ job: 2, runner: 2 }),
  },
  {
    rule: 'an attempt has a runner',
    refused: attempt({ job: 2, runner: 99 }),
    state: foreignKey,
    allowed: attempt({ job: 2, runner: 2 }),
  },
  {
    rule: 'a job whose attempts are there stays',
    refused: 'delete from jobs where id = 1',
    state: foreignKey,
    allowed: 'delete from jobs where id = 2',
  },
  {
    rule: 'a job has labels',
    refused: 'update jobs set labels = null where id = 2',
    state: notNull,
    allowed: `update jobs set labels = '{linux}' where id = 2`,
  },
  {
    rule: 'the timeline does not change',
    refused: `update timeline set kind = 'never'`,
    state: restrict,
    allowed: `insert into timeline (subject, subject_id, job_id, kind, source) values ('job', 1, 1, 'more', 'audit')`,
  },
  {
    rule: 'the timeline is kept',
    refused: `${endJob(1)}; delete from timeline`,
    state: restrict,
    allowed: `${endJob(1)}; set local holdfast.archiving = 'on'; delete from timeline`,
  },
  {
    rule: 'the timeline of an open job is kept even by the archive',
    refused: `set local holdfast.archiving = 'on'; delete from timeline`,
    state: restrict,
    allowed: `${endJob(1)}; set local holdfast.archiving = 'on'; delete from timeline`,
  },
  {
    rule: 'the timeline is not truncated',
    refused: `set local holdfast.archiving = 'on'; truncate timeline`,
    state: restrict,
    allowed: 'truncate holds',
  },
  {
    rule: 'an incident is open once',
    refused: `${incident('acme/a')}; ${incident('acme/a')}`,
    state: unique,
    allowed: `${incident('acme/a')}; update incidents set closed_at = now(); ${incident('acme/a')}; ${incident('acme/b')}`,
  },
  {
    rule: 'a repository is held once for one reason',
    refused: `${hold('null')}; ${hold('null')}`,
    state: unique,
    allowed: `${incident('acme/a')}; ${hold('null')}; ${hold('(select id from incidents)')}`,
  },
  {
    rule: 'sealed evidence does not change',
    refused: `update evidence set record = '{"better": true}'`,
    state: restrict,
    allowed: `insert into evidence (kind, record) values ('forge-word', '{"better": true}')`,
  },
  {
    rule: 'sealed evidence is kept',
    refused: 'delete from evidence where id = 1',
    state: restrict,
    allowed: `set local holdfast.archiving = 'on'; delete from evidence where id = 1`,
  },
  {
    rule: 'sealed evidence is not truncated',
    refused: 'truncate evidence cascade',
    state: restrict,
    allowed: 'truncate holds',
  },
]

describe('what the database itself refuses, whoever writes', () => {
  it.each(pairs)('$rule', async ({ refused, state, allowed }) => {
    await expect(inTransaction(refused)).rejects.toMatchObject({ code: state })
    await expect(inTransaction(allowed)).resolves.not.toThrow()
  })
})

async function inTransaction(statements: string): Promise<void> {
  try {
    await bench.run(`begin; ${statements}; set constraints all immediate`)
  } finally {
    await bench.run('rollback')
  }
}
