import type { Subject } from '../../../../domain/recovery/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { attemptSubjects, type Judging, jobSubject, runnerSubjects } from './subjects.ts'

/** One subject as it is now; null where there is nothing open to look at. */
export async function subject(
  db: Db,
  { kind, id }: { readonly kind: Subject['kind']; readonly id: number },
  judging: Judging,
): Promise<Subject | null> {
  switch (kind) {
    case 'attempt':
      return (await attemptSubjects(db, sql`attempts.id = ${id}`, judging))[0] ?? null
    case 'job':
      return jobSubject(db, id)
    case 'runner':
      return (await runnerSubjects(db, sql`runners.id = ${id}`, judging))[0] ?? null
  }
}
