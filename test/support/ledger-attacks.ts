import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from './ledger.ts'

/** A forbidden act in plain SQL, and the nearest one that is allowed, so that it is the rule that refuses, and not a slip. */
export interface Attack {
  readonly rule: string
  readonly refused: string
  /** The constraint, trigger or SQLSTATE that refuses it. */
  readonly by: string
  readonly allowed: string
}

/** Tries every attack on the rows below, by default as the role of the program, and rolls it back. */
export function describeAttacks(
  title: string,
  attacks: readonly Attack[],
  as: 'program' | 'owner' = 'program',
): void {
  describe(title, () => {
    let bench: LedgerBench
    beforeAll(async () => {
      bench = await ledgerBench()
      await run(rows)
    })
    afterAll(() => bench[Symbol.asyncDispose]())
    const run = (statement: string) => (as === 'program' ? bench.asProgram(statement) : bench.run(statement))

    it.each(attacks)('$rule', async ({ refused, by, allowed }) => {
      expect(await refusalOf(run, allowed)).toBe('none')
      expect(await refusalOf(run, refused)).toBe(by)
    })
  })
}

async function refusalOf(run: (statement: string) => Promise<unknown>, statements: string): Promise<string> {
  try {
    await run(`begin; ${statements}; set constraints all immediate`)
    return 'none'
  } catch (error) {
    const { constraint, code, message } = error as { constraint?: string; code?: string; message: string }
    return constraint ?? code ?? message
  } finally {
    await run('rollback')
  }
}

const job = `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, pool, priority,
                               share_tag, check_at)
             select 'forge', n, 1, 1, 'acme/app', 'build', '{x}', 'linux', 2, n, now() from generate_series(1, 6) as n`

/** Seats a runner for a queued job, as a claim does. */
export function claim({ job: jobId, runner, name = `linux-${runner}-a` }: Claim): string {
  return `update runners set state = 'claimed', ever_claimed = true where id = ${runner};
          update jobs set state = 'claimed' where id = ${jobId};
          ${attempt({ job: jobId, runner, name })}`
}

interface Claim {
  readonly job: number
  readonly runner: number
  readonly name?: string
}

/** An attempt alone, without what belongs to it. */
export function attempt({ job: jobId, runner, name = `linux-${runner}-a` }: Claim): string {
  return `insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
          values (gen_random_uuid(), ${jobId}, ${jobId}, ${runner}, '${name}', now())`
}

export function mint(attemptId: number): string {
  return `update attempts set state = 'minted', minted_at = now(), forge_runner_id = 70 + id where id = ${attemptId};
          update attempts set jit = 'sealed', jit_key_id = 'key' where id = ${attemptId}`
}

export function death(runner: number): string {
  return `insert into evidence (kind, runner_id, record) values ('runner-death', ${runner}, '{}');
          update runners set state = 'ended', ended_at = now(), evidence_id = (select max(id) from evidence)
           where id = ${runner}`
}

/** The columns that end an attempt, without its evidence. */
export const end = `state = 'ended', ended_at = now(), jit = null, jit_key_id = null`

/**
 * Made by legal moves alone. Job 1 is delivered to runner 1, 2 is queued, 3 completed, 4 running on runner 4, 5 claimed
 * by runner 5, 6 minted for runner 6. Runners 2 and 3 poll, 7 has died, 8 boots, 9 is fenced. Evidence 1 is a word of the
 * forge, 2 the death of runner 7.
 */
const rows = `
  insert into installations (name) values ('forge');
  insert into pools (name, spec) values ('linux', '{"fairness": {"ageingMs": 1000}}');
  ${job};
  insert into runners (name, pool, host, identity_hash, check_at)
  select 'linux-' || n, 'linux', 'host-1', 'hash', now() from generate_series(1, 9) as n;
  update runners set state = 'polling', polled_at = now() where id <> 8;
  update runners set state = 'fenced', fenced_at = now(), reason = 'idle' where id = 9;
  insert into evidence (kind, record) values ('forge-word', '{}');
  ${death(7)};
  ${claim({ job: 1, runner: 1 })}; ${mint(1)};
  update attempts set state = 'delivered', delivered_at = now() where id = 1;
  update jobs set state = 'delivered' where id = 1;
  ${claim({ job: 4, runner: 4 })}; ${mint(2)};
  update attempts set state = 'running', delivered_at = now(), registered_at = now(), started_at = now(), jit = null,
                      jit_key_id = null
   where id = 2;
  update jobs set state = 'running', executor = 'linux-4-a' where id = 4;
  update runners set state = 'busy' where id = 4;
  ${claim({ job: 5, runner: 5 })};
  ${claim({ job: 6, runner: 6 })}; ${mint(4)};
  update jobs set state = 'completed', conclusion = 'success', ended_at = now() where id = 3;
  insert into timeline (subject, subject_id, job_id, kind, source)
  values ('job', 1, 1, 'seen', 'x'), ('job', 3, 3, 'seen', 'x'), ('runner', 2, null, 'enrolled', 'x');
  insert into decisions (rule, job_id, facts, actions) values ('x', 1, '{}', '{}'), ('x', 3, '{}', '{}');
  insert into leases values ('lease', 5); insert into cursors values ('cursor', now()); insert into positions values ('p', 5);
  insert into deliveries (guid, installation, event, body) values ('guid', 'forge', 'e', 'body')`
