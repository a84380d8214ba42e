import type { DeathClass, SeenOutside, Verdict } from '../death/index.ts'
import type { AnnotationFact, StepFact } from '../snapshot/index.ts'

/** The forge's report of a job that is over. */
export interface FailedJob {
  readonly conclusion: string | null
  /** Null where the forge has none, or was not read. */
  readonly steps: readonly StepFact[] | null
  readonly annotations: readonly AnnotationFact[] | null
}

/** The runner of the job, seen from outside. */
export interface RunnerSeen extends SeenOutside {
  /** How it ended; null while it lives. */
  readonly end: { readonly class: DeathClass; readonly confidence: Verdict['confidence'] } | null
  /** Whether the job was lost with it. */
  readonly isLost: boolean
}

/** The facts from which a job's failure is judged. */
export interface JobFailureFacts {
  /** Null where only its log is known. */
  readonly job: FailedJob | null
  /** The newest part of its own log, as the forge keeps it; null where it was not read. The job writes it: it may lie. */
  readonly log: string | null
  /** Null where nothing is known of it. */
  readonly runner: RunnerSeen | null
  /** The CA bundles (`SSL_CERT_FILE=/etc/…`) that its runner's container is given; absent where its pod was not read. */
  readonly caBundles?: readonly string[] | null
}

/** Variables by which programs find a CA bundle. */
export const caVariables = ['SSL_CERT_FILE', 'NIX_SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const
