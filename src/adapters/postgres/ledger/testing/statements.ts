/* Writes in plain SQL, as somebody might make them past the ledger: what the database refuses is tried with these. */

export function attempt({ job, runner }: { job: number; runner: number }): string {
  return `insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
          values (gen_random_uuid(), ${job}, ${job}, ${runner}, 'linux-x', now())`
}

export function incident(key: string): string {
  return `insert into incidents (kind, installation, scope, key, reason)
          values ('actions-disabled', 'forge', 'repository', '${key}', 'no')`
}

export function hold(incidentId: string): string {
  return `insert into holds (kind, key, incident_id, reason, until)
          values ('repository', 'acme/a', ${incidentId}, 'no', now())`
}

export function endFirst(): string {
  return `update attempts set state = 'ended', ended_at = now(), end_reason = 'claim-expired' where id = 1`
}

export function death(runner: number): string {
  return `insert into evidence (kind, runner_id, record) values ('runner-death', ${runner}, '{}')`
}

export function endJob(job: number): string {
  return `update jobs set state = 'lost', ended_at = now() where id = ${job}`
}
