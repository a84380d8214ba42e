import { claim, death, describeAttacks, end } from '../../../../../test/support/ledger-attacks.ts'

const begin = `update jobs set state = 'running', executor = 'elsewhere' where id = 2`
const finish = `update jobs set state = 'completed', conclusion = 'success', ended_at = now() where id = 2`
/** The forge cancels what runner 4 runs, and then the runner's death is sealed. */
const cancelledAndDead = (of: string, ending = '{}') => `
  update jobs set state = 'cancelled', conclusion = 'cancelled', forge_completed_at = now(), ended_at = now() where id = 4;
  update attempts set ${end}, end_reason = 'finished', evidence_id = 1 where job_id = 4;
  insert into evidence (kind, runner_id, record) values ('runner-death', 4, '{"class": "${of}", "ending": ${ending}}');
  update runners set state = 'ended', ended_at = now(), evidence_id = (select max(id) from evidence) where id = 4`
const judge = `update jobs set state = 'lost' where id = 4`
const file = (
  job: number,
) => `insert into archived_jobs (id, installation, forge_job_id, repository, ended_at, file)
  select id, installation, forge_job_id, repository, ended_at,
         '{"timeline": [{}], "decisions": [{}], "attempts": []}' from jobs where id = ${job}`
const archive = (job: number) => `${file(job)}; delete from timeline where job_id = ${job};
  delete from decisions where job_id = ${job}; delete from jobs where id = ${job}`

describeAttacks('what the database refuses of jobs, from any writer', [
  {
    rule: 'I7: a job is not queued again while its attempt stays open',
    refused: `update jobs set state = 'queued' where id = 1`,
    by: 'jobs_agree',
    allowed: begin,
  },
  {
    rule: 'I7: a job does not end while its attempt stays open',
    refused: `update jobs set state = 'completed', conclusion = 'success', ended_at = now() where id = 4`,
    by: 'jobs_agree',
    allowed: finish,
  },
  {
    rule: 'I7: a job is not claimed without an attempt',
    refused: `update jobs set state = 'claimed' where id = 2`,
    by: 'jobs_agree',
    allowed: claim({ job: 2, runner: 2 }),
  },
  {
    rule: 'I7: a job is not registered without an attempt',
    refused: `update jobs set state = 'registered' where id = 5`,
    by: 'jobs_agree',
    allowed: begin,
  },
  {
    rule: 'I8: a job does not come back from its end',
    refused: `update jobs set state = 'queued', ended_at = null, conclusion = null where id = 3`,
    by: 'jobs_move',
    allowed: `${begin}; update jobs set state = 'queued', executor = null where id = 2`,
  },
  {
    rule: 'I8: a job that waits is not registered at once',
    refused: `update jobs set state = 'registered' where id = 2`,
    by: 'jobs_move',
    allowed: begin,
  },
  {
    rule: 'a job that has ended does not change',
    refused: `update jobs set conclusion = 'failure' where id = 3`,
    by: 'jobs_ended',
    allowed: 'update jobs set check_at = now() where id = 2',
  },
  {
    rule: 'I8: a job that ended well is not lost afterwards',
    refused: `update jobs set state = 'lost' where id = 3`,
    by: 'jobs_judged',
    allowed: `${cancelledAndDead('evicted')}; ${judge}`,
  },
  {
    rule: 'I8: a job that has ended is not lost by a runner that ended in order',
    refused: `${cancelledAndDead('clean')}; ${judge}`,
    by: 'jobs_judged',
    // Somebody had deleted its pod.
    allowed: `${cancelledAndDead('clean', '{"pod": {"deletedAt": 1}}')}; ${judge}`,
  },
  {
    rule: 'a job that is lost afterwards keeps the word of the forge',
    refused: `${cancelledAndDead('evicted')}; update jobs set state = 'lost', conclusion = 'failure' where id = 4`,
    by: 'jobs_judged',
    allowed: `${cancelledAndDead('evicted')}; ${judge}`,
  },
  {
    rule: 'a job that is lost afterwards keeps the time of its end',
    refused: `${cancelledAndDead('evicted')}; update jobs set state = 'lost', forge_completed_at = null where id = 4`,
    by: 'jobs_judged',
    allowed: `${cancelledAndDead('evicted')}; ${judge}`,
  },
  {
    rule: 'I8: a job that is lost stays so',
    refused: `${cancelledAndDead('evicted')}; ${judge}; update jobs set state = 'cancelled' where id = 4`,
    by: 'jobs_move',
    allowed: `${cancelledAndDead('evicted')}; ${judge}`,
  },
  {
    rule: 'a job begins as queued',
    refused: `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, pool, priority,
                                share_tag, check_at, state, executor)
              values ('forge', 9, 1, 1, 'acme/app', 'n', '{}', 'linux', 2, 0, now(), 'running', 'x')`,
    by: 'jobs_begin',
    allowed: `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, pool, priority,
                                share_tag, check_at)
              values ('forge', 9, 1, 1, 'acme/app', 'n', '{}', 'linux', 2, 0, now())`,
  },
  {
    rule: 'a job keeps its name at the forge',
    refused: 'update jobs set forge_job_id = 3000 where id = 2',
    by: 'jobs_keep',
    allowed: 'update jobs set priority = 1 where id = 2',
  },
  {
    rule: 'a job of the forge is known once',
    refused: `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, priority,
                                share_tag, check_at)
              values ('forge', 2, 1, 1, 'acme/app', 'n', '{}', 2, 0, now())`,
    by: 'jobs_installation_forge_job_id_key',
    allowed: `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, priority,
                                share_tag, check_at)
              values ('forge', 10, 1, 1, 'acme/app', 'n', '{}', 2, 0, now())`,
  },
  {
    rule: 'an open job is not deleted',
    refused: 'delete from jobs where id = 2',
    by: 'jobs_stay',
    allowed: archive(3),
  },
  {
    rule: 'a job that has ended is not deleted unless it is archived',
    refused: 'delete from jobs where id = 3',
    by: 'jobs_stay',
    allowed: archive(3),
  },
  {
    rule: 'a job is either open or archived',
    refused: file(3),
    by: 'archived_jobs_once',
    allowed: archive(3),
  },
  {
    rule: 'only a job that is over is archived',
    refused: `insert into archived_jobs (id, installation, forge_job_id, repository, ended_at, file)
              values (2, 'forge', 2, 'acme/app', now(), '{}')`,
    by: 'archived_jobs_over',
    allowed: archive(3),
  },
  {
    rule: 'a job is archived with all that belongs to it (the transaction is run again)',
    refused: `insert into archived_jobs (id, installation, forge_job_id, repository, ended_at, file)
              values (3, 'forge', 3, 'acme/app', now(), '{}')`,
    by: '40001',
    allowed: archive(3),
  },
  {
    rule: 'a job that waits has neither an executor nor a conclusion',
    refused: `update jobs set conclusion = 'success', executor = 'z', forge_completed_at = now() where id = 2`,
    by: 'jobs_facts',
    allowed: begin,
  },
  {
    rule: 'a job that is completed says how',
    refused: `update jobs set state = 'completed', ended_at = now() where id = 2`,
    by: 'jobs_check1',
    allowed: finish,
  },
  {
    rule: 'a job that has ended says when',
    refused: `update jobs set state = 'lost' where id = 2`,
    by: 'jobs_check',
    allowed: `update jobs set state = 'lost', ended_at = now() where id = 2`,
  },
  {
    rule: 'a job that runs says on whom',
    refused: `update jobs set state = 'running' where id = 2`,
    by: 'jobs_check2',
    allowed: begin,
  },
  {
    rule: 'a job does not end before it was seen',
    refused: `update jobs set state = 'lost', ended_at = seen_at - interval '10 years' where id = 2`,
    by: 'jobs_times',
    allowed: `update jobs set state = 'lost', ended_at = seen_at where id = 2`,
  },
  {
    rule: 'a job can be claimed some day',
    refused: `update jobs set not_before = 'infinity' where id = 2`,
    by: 'moment_check',
    allowed: `update jobs set not_before = now() + interval '1 hour' where id = 2`,
  },
  {
    rule: 'a job is looked at some day',
    refused: `update jobs set check_at = 'infinity' where id = 2`,
    by: 'moment_check',
    allowed: `update jobs set check_at = now() + interval '1 hour' where id = 2`,
  },
  {
    rule: 'what the forge counts is not negative',
    refused: 'update jobs set run_attempt = -5 where id = 2',
    by: 'tally_check',
    allowed: 'update jobs set run_attempt = 2 where id = 2',
  },
  {
    rule: 'a job has a place in its queue',
    refused: `update jobs set share_tag = 'NaN' where id = 2`,
    by: 'queue_tag_check',
    allowed: 'update jobs set share_tag = 1.5 where id = 2',
  },
  {
    rule: 'a job is in a state that there is',
    refused: `update jobs set state = 'paused' where id = 2`,
    by: 'job_state_check',
    allowed: begin,
  },
  {
    rule: 'a job that is given out is not quarantined',
    refused: `update jobs set quarantine = 'x' where id = 5`,
    by: 'jobs_check3',
    allowed: `update jobs set quarantine = 'x' where id = 2`,
  },
])

describeAttacks('what the database refuses of runners, from any writer', [
  {
    rule: 'I5: a runner ends only with its death on record',
    refused: `update runners set state = 'ended', ended_at = now() where id = 2`,
    by: 'runners_check1',
    allowed: death(2),
  },
  {
    rule: "I5: a runner does not end with another's death",
    refused: `update runners set state = 'ended', ended_at = now(), evidence_id = 2 where id = 2`,
    by: 'runners_evidence_id_id_fkey',
    allowed: death(2),
  },
  {
    rule: 'I5: a runner does not end with evidence of something else',
    refused: `update runners set state = 'ended', ended_at = now(), evidence_id = 1 where id = 2`,
    by: 'runners_evidence_id_id_fkey',
    allowed: death(2),
  },
  {
    rule: 'I5: a runner dies once',
    refused: `insert into evidence (kind, runner_id, record) values ('runner-death', 7, '{}')`,
    by: 'evidence_one_death_a_runner',
    allowed: death(2),
  },
  {
    rule: 'I5: a runner whose death is on record does not live on',
    refused: `insert into evidence (kind, runner_id, record) values ('runner-death', 2, '{}')`,
    by: 'evidence_ends',
    allowed: death(2),
  },
  {
    rule: 'I5: nobody dies who never was',
    refused: `insert into evidence (kind, runner_id, record) values ('runner-death', 4711, '{}')`,
    by: 'evidence_runner_id_fkey',
    allowed: death(2),
  },
  {
    rule: 'I8: a runner that has ended does not come back',
    refused: `update runners set state = 'polling', ended_at = null where id = 7`,
    by: 'runners_move',
    allowed: `update runners set state = 'polling' where id = 8`,
  },
  {
    rule: 'I8: a runner that was sent away is not asked back',
    refused: `update runners set state = 'polling' where id = 9`,
    by: 'runners_move',
    allowed: `update runners set state = 'busy', ever_claimed = true where id = 9`,
  },
  {
    rule: 'a runner that has an open attempt is not idle',
    refused: `update runners set state = 'polling' where id = 5`,
    by: 'runners_agree',
    allowed: `update runners set state = 'busy', ever_claimed = true where id = 5`,
  },
  {
    rule: 'a runner begins as booting',
    refused: `insert into runners (name, pool, host, check_at, state) values ('z', 'linux', 'h', now(), 'polling')`,
    by: 'runners_begin',
    allowed: `insert into runners (name, pool, host, check_at) values ('z', 'linux', 'h', now())`,
  },
  {
    rule: 'a runner does not end before it was there',
    refused: `insert into evidence (kind, runner_id, record) values ('runner-death', 2, '{}');
              update runners set state = 'ended', ended_at = '1970-01-01', evidence_id = (select max(id) from evidence)
               where id = 2`,
    by: 'runners_times',
    allowed: death(2),
  },
  {
    rule: 'a live runner is not deleted',
    refused: 'delete from runners where id = 2',
    by: 'runners_stay',
    allowed: `insert into archived_runners (id, name, ended_at, evidence_id, sealed_at, record, file)
              select runners.id, name, ended_at, evidence.id, sealed_at, record, '{}'
                from runners join evidence on evidence.id = runners.evidence_id where runners.id = 7;
              delete from runners where id = 7`,
  },
  {
    rule: 'a runner is in a state that there is',
    refused: `update runners set state = 'paused' where id = 2`,
    by: 'runner_state_check',
    allowed: `update runners set state = 'fenced', fenced_at = now() where id = 2`,
  },
])
