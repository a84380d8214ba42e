import type { TriageSubject } from '../../domain/triage/index.ts'
import type { Meaning } from '../../explain/index.ts'
import type { ForgeWishes } from '../../snapshot/index.ts'

/** The subject of a triage by facts; null where only the ledger can know it. */
export function subjectOf(meaning: Meaning): TriageSubject | null {
  switch (meaning.kind) {
    case 'job-url':
      return { kind: 'job', repository: meaning.repository, jobId: meaning.forgeJobId }
    case 'run-url':
      return { kind: 'run', repository: meaning.repository, runId: meaning.runId }
    case 'runner':
      return { kind: 'runner', namespace: null, name: meaning.name }
    case 'pod':
      return { kind: 'runner', namespace: meaning.namespace, name: meaning.name }
    default:
      return null
  }
}

/** The jobs and runs that the forge is asked for by name, whatever their age. */
export function wishesOf(subject: TriageSubject): ForgeWishes {
  if (subject.kind === 'job') return { jobs: [{ repository: subject.repository, jobId: subject.jobId }] }
  if (subject.kind === 'run') return { runs: [{ repository: subject.repository, runId: subject.runId }] }
  return {}
}
