import type { beginJobs } from './jobs.ts'
import type { Stage } from './stage/stage.ts'

/** The parts that every case uses. */
export interface Bench {
  readonly stage: Stage
  readonly jobs: ReturnType<typeof beginJobs>
  readonly folder: string
  /** Of an account with the rights of deploy/audit-rbac.yaml. */
  readonly auditor: string
  /** Of an account with the rights of deploy/remedy-gitlab-rbac.yaml. */
  readonly operator: string
  readonly say: (line: string) => void
}

export type Case = (bench: Bench) => Promise<void>
