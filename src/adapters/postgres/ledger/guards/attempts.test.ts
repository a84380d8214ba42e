import {
  attempt,
  claim,
  death,
  describeAttacks,
  end,
  mint,
} from '../../../../../test/support/ledger-attacks.ts'

const requeue = (job: number) => `update jobs set state = 'queued', executor = null where id = ${job}`
const finish = (job: number) =>
  `update jobs set state = 'completed', conclusion = 'success', ended_at = now() where id = ${job}`
const endAttempt = (id: number, reason: string, evidence: number | null) =>
  `update attempts set ${end}, end_reason = '${reason}', evidence_id = ${evidence} where id = ${id}`
const pastDeadline = (cancel: string) =>
  `update attempts set past_deadline = '{"at": 1, "limitMs": 2, "ranMs": 3, "cancel": ${cancel}}' where id = 2`

describeAttacks('what the database refuses of attempts, from any writer', [
  {
    rule: 'I1: a job has one open attempt',
    refused: `update runners set state = 'claimed', ever_claimed = true where id = 2; ${attempt({ job: 5, runner: 2 })}`,
    by: 'attempts_one_open_a_job',
    allowed: claim({ job: 2, runner: 2 }),
  },
  {
    rule: 'I1: a runner has one open attempt',
    refused: `update jobs set state = 'claimed' where id = 2; ${attempt({ job: 2, runner: 5, name: 'z' })}`,
    by: 'attempts_one_open_a_runner',
    allowed: `${endAttempt(3, 'claim-expired', null)}; ${requeue(5)};
              update runners set state = 'polling' where id = 5; ${claim({ job: 2, runner: 5, name: 'z' })}`,
  },
  {
    rule: 'I1: no attempt is opened for a job that has ended',
    refused: `update runners set state = 'claimed', ever_claimed = true where id = 2; ${attempt({ job: 3, runner: 2 })}`,
    by: 'attempts_open',
    allowed: claim({ job: 2, runner: 2 }),
  },
  {
    rule: 'I1: no attempt is opened on a runner that has died',
    refused: `${death(3)}; update jobs set state = 'claimed' where id = 2; ${attempt({ job: 2, runner: 3 })}`,
    by: 'attempts_open',
    allowed: `${claim({ job: 2, runner: 3 })}; ${death(3)}`,
  },
  {
    rule: 'I1: no attempt is opened on a runner that was sent away',
    refused: `update jobs set state = 'claimed' where id = 2; ${attempt({ job: 2, runner: 9 })}`,
    by: 'attempts_open',
    allowed: claim({ job: 2, runner: 2 }),
  },
  {
    rule: 'I1: no attempt is opened for a job that stays queued',
    refused: `update runners set state = 'claimed', ever_claimed = true where id = 2; ${attempt({ job: 2, runner: 2 })}`,
    by: 'attempts_open',
    allowed: claim({ job: 2, runner: 2 }),
  },
  {
    rule: 'I1: an attempt that is found at work has a job that runs and a runner that is busy',
    refused: `insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at, state, minted_at,
                                    delivered_at, registered_at, started_at)
              values (gen_random_uuid(), 2, 2, 2, 'z', now(), 'running', now(), now(), now(), now())`,
    by: 'attempts_open',
    allowed: `update jobs set state = 'running', executor = 'z' where id = 2; update runners set state = 'busy', ever_claimed = true where id = 2;
              insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at, state, minted_at,
                                    delivered_at, registered_at, started_at)
              values (gen_random_uuid(), 2, 2, 2, 'z', now(), 'running', now(), now(), now(), now())`,
  },
  {
    rule: 'I1: an attempt that has ended is not opened again',
    refused: `${endAttempt(3, 'claim-expired', null)}; ${requeue(5)};
              update attempts set state = 'running', ended_at = null, end_reason = null where id = 3`,
    by: 'attempts_ended',
    allowed: `${endAttempt(3, 'claim-expired', null)}; ${requeue(5)}`,
  },
  {
    rule: 'I2: a handle is used once',
    refused: `update runners set state = 'claimed', ever_claimed = true where id = 2; update jobs set state = 'claimed' where id = 2;
              insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
              select handle, 2, 2, 2, 'z', now() from attempts where id = 1`,
    by: 'attempts_handle_key',
    allowed: claim({ job: 2, runner: 2 }),
  },
  {
    rule: "I2: a forge runner's name belongs to one open attempt",
    refused: claim({ job: 2, runner: 2, name: 'linux-1-a' }),
    by: 'attempts_one_open_a_forge_name',
    allowed: claim({ job: 2, runner: 2, name: 'linux-1-b' }),
  },
  {
    rule: 'I2: a forge runner belongs to one open attempt',
    refused: `update attempts set state = 'minted', minted_at = now(), forge_runner_id = 71 where id = 3`,
    by: 'attempts_one_open_a_forge_runner',
    allowed: mint(3),
  },
  {
    rule: 'I2: an attempt keeps its forge runner',
    refused: 'update attempts set forge_runner_id = 77 where id = 1',
    by: 'attempts_noted',
    allowed: 'update attempts set forge_runner_id = 71 where id = 1',
  },
  {
    rule: 'I2: an attempt is not moved to another runner',
    refused: 'update attempts set runner_id = 2 where id = 1',
    by: 'attempts_keep',
    allowed: `update attempts set check_at = now() where id = 1`,
  },
  {
    rule: 'I2: a JIT is not replaced once it was delivered',
    refused: `update attempts set jit = 'other', jit_key_id = 'key-2' where id = 1`,
    by: 'attempts_jit',
    allowed: `update attempts set jit = 'new', jit_key_id = 'key-2' where id = 4`,
  },
  {
    rule: 'I2: a JIT is not kept once its runner has registered',
    refused: `update attempts set jit = 'sealed', jit_key_id = 'key' where id = 2`,
    by: 'attempts_jit',
    allowed: `update attempts set state = 'acknowledged', acknowledged_at = now() where id = 1`,
  },
  {
    rule: 'I2: a JIT is not kept once its attempt has ended',
    refused: `update attempts set state = 'ended', ended_at = now(), end_reason = 'claim-expired' where id = 4; ${requeue(6)}`,
    by: 'attempts_check3',
    allowed: `${endAttempt(4, 'claim-expired', null)}; ${requeue(6)}`,
  },
  {
    rule: 'I2: a JIT has the id of its key',
    refused: `update attempts set jit = 'plain text', jit_key_id = '' where id = 4`,
    by: 'key_name_check',
    allowed: `update attempts set jit = 'sealed', jit_key_id = 'key' where id = 4`,
  },
  {
    rule: 'I3: a delivered attempt ends only with evidence',
    refused: `${endAttempt(1, 'finished', null)}; ${finish(1)}`,
    by: 'attempts_end_with_evidence',
    allowed: `${endAttempt(1, 'finished', 1)}; ${finish(1)}`,
  },
  {
    rule: 'I3: that an attempt was delivered is not erased',
    refused: 'update attempts set delivered_at = null, jit = null, jit_key_id = null where id = 1',
    by: 'attempts_noted',
    allowed: `update attempts set state = 'acknowledged', acknowledged_at = now() where id = 1`,
  },
  {
    rule: 'I3: nothing runs that was not delivered',
    refused: `update attempts set state = 'running' where id = 4; ${requeue(6)}`,
    by: 'attempts_facts',
    allowed: `update attempts set state = 'running', delivered_at = now(), registered_at = now(), started_at = now(),
                                  jit = null, jit_key_id = null where id = 4;
              update jobs set state = 'running', executor = 'linux-6-a' where id = 6`,
  },
  {
    rule: "I3: another runner's death is no evidence",
    refused: `${endAttempt(1, 'runner-gone', 2)}; ${requeue(1)}`,
    by: 'attempts_evidence',
    allowed: `${death(1)}; update attempts set ${end}, end_reason = 'runner-gone',
                                              evidence_id = (select max(id) from evidence) where id = 1; ${requeue(1)}`,
  },
  {
    rule: 'I3: evidence that an attempt names exists',
    refused: `${endAttempt(1, 'finished', 99)}; ${finish(1)}`,
    by: 'attempts_evidence',
    allowed: `${endAttempt(1, 'finished', 1)}; ${finish(1)}`,
  },
  {
    rule: 'I3: the evidence of an end is not exchanged',
    refused: `${endAttempt(1, 'finished', 1)}; ${finish(1)}; update attempts set evidence_id = 2 where id = 1`,
    by: 'attempts_ended',
    allowed: `${endAttempt(1, 'finished', 1)}; ${finish(1)}`,
  },
  {
    rule: 'I3: an open attempt is not deleted',
    refused: 'delete from attempts where id = 1',
    by: 'attempts_stay',
    allowed: 'select from attempts where id = 1 for update',
  },
  {
    rule: 'I7: the attempt of a job that is claimed is open',
    refused: endAttempt(3, 'claim-expired', null),
    by: 'jobs_agree',
    allowed: `${endAttempt(3, 'claim-expired', null)}; ${requeue(5)}`,
  },
  {
    rule: 'I7: an attempt is delivered when its job is',
    refused: `update attempts set state = 'delivered', delivered_at = now() where id = 4`,
    by: 'jobs_agree',
    allowed: `update attempts set state = 'delivered', delivered_at = now() where id = 4;
              update jobs set state = 'delivered' where id = 6`,
  },
  {
    rule: 'I7: two attempts swap their jobs, and none is left behind',
    refused: 'update attempts set job_id = 2 where id = 3',
    by: 'jobs_agree',
    allowed: `update jobs set state = 'claimed' where id = 1; update jobs set state = 'delivered' where id = 5;
              set constraints attempts_job_id_fkey deferred; update attempts set job_id = -id where id in (1, 3);
              update attempts set job_id = 5 where id = 1; update attempts set job_id = 1 where id = 3`,
  },
  {
    rule: 'I8: an attempt does not move backwards',
    refused: `update attempts set state = 'claimed' where id = 2`,
    by: 'attempts_move',
    allowed: `update attempts set state = 'registered', registered_at = now(), jit = null,
                                  jit_key_id = null where id = 1;
              update jobs set state = 'registered' where id = 1`,
  },
  {
    rule: 'an attempt is looked at again some day',
    refused: `update attempts set check_at = 'infinity' where id = 1`,
    by: 'moment_check',
    allowed: `update attempts set check_at = now() + interval '1 day' where id = 1`,
  },
  {
    rule: 'an attempt is not delivered before it was claimed',
    refused: `update attempts set state = 'delivered', delivered_at = '1970-01-01' where id = 4;
              update jobs set state = 'delivered' where id = 6`,
    by: 'attempts_times',
    allowed: `update attempts set state = 'delivered', delivered_at = now() where id = 4;
              update jobs set state = 'delivered' where id = 6`,
  },
  {
    rule: 'the time at which an attempt was delivered is not rewritten',
    refused: `update attempts set delivered_at = '1970-01-01' where id = 1`,
    by: 'attempts_noted',
    allowed: `update attempts set delivered_at = date_trunc('milliseconds', delivered_at) where id = 1`,
  },
  {
    rule: 'an attempt does not end before it was delivered',
    refused: `update attempts set ${end}, end_reason = 'finished', evidence_id = 1 where id = 1;
              update attempts set ended_at = '1970-01-01' where id = 1`,
    by: 'attempts_ended',
    allowed: `${endAttempt(1, 'finished', 1)}; ${finish(1)}`,
  },
  {
    rule: 'an attempt does not end in the past',
    refused: `update attempts set state = 'ended', ended_at = '1970-01-01', jit = null, jit_key_id = null,
                                  end_reason = 'finished', evidence_id = 1 where id = 1; ${finish(1)}`,
    by: 'attempts_times',
    allowed: `${endAttempt(1, 'finished', 1)}; ${finish(1)}`,
  },
  {
    rule: 'an attempt is in a state that there is',
    refused: `update attempts set state = 'paused' where id = 1`,
    by: 'attempt_state_check',
    allowed: `update attempts set state = 'acknowledged', acknowledged_at = now() where id = 1`,
  },
  {
    rule: 'an attempt ends for a reason that there is',
    refused: `${endAttempt(3, 'bored', null)}; ${requeue(5)}`,
    by: 'end_reason_check',
    allowed: `${endAttempt(3, 'claim-expired', null)}; ${requeue(5)}`,
  },
  {
    rule: 'an attempt that has ended says why',
    refused: `update attempts set ${end} where id = 3; ${requeue(5)}`,
    by: 'attempts_check1',
    allowed: `${endAttempt(3, 'claim-expired', null)}; ${requeue(5)}`,
  },
  {
    rule: 'that a job was past its deadline is not taken back',
    refused: `${pastDeadline('null')}; update attempts set past_deadline = null where id = 2`,
    by: 'attempts_noted',
    allowed: `${pastDeadline('null')}; ${pastDeadline('"done"')}`,
  },
  {
    rule: 'what the forge said when it was asked to cancel stays',
    refused: `${pastDeadline('"refused"')}; ${pastDeadline('"done"')}`,
    by: 'attempts_noted',
    allowed: `${pastDeadline('"refused"')}; ${pastDeadline('"refused"')}`,
  },
  {
    rule: 'only a job that began can be past its deadline',
    refused: `update attempts set past_deadline = '{}' where id = 1`,
    by: 'attempts_past_deadline',
    allowed: pastDeadline('null'),
  },
])
