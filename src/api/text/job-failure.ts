import type { JobFailureClass, JobVerdict } from '../../domain/job-failure/index.ts'

/** The meaning of each class, after "the job". */
export const jobFailureWords: Readonly<Record<JobFailureClass, string>> = {
  'lost-runner': 'was lost with its runner',
  'timed-out': 'took longer than it may',
  cancelled: 'was cancelled',
  'disk-full': 'found the disk full',
  'host-file-table': 'met a full file table of its node (ENFILE)',
  'process-file-table': 'had too many files open in one process (EMFILE)',
  'confirmed-cgroup-oom': 'lost a program to a kill at the memory limit, which was counted',
  'killed-outside-cgroup': 'lost a program to SIGKILL, and not at its memory limit',
  'transient-runner-memory-evidence':
    'lost a program to SIGKILL, with memory at its limit and no kill counted',
  'evidence-incomplete': 'lost a program to SIGKILL, and the figures that would say why were not read',
  'guest-oom': 'ran out of memory inside its runner',
  'build-ca-missing': 'did not trust a certificate: its build has no CA bundle',
  'runtime-trust-store-broken': 'did not trust a certificate although a CA bundle is set',
  'set-up-failed': 'failed while its runner set it up, before any step of its own',
  'checkout-failed': 'failed in checkout, before any code of the repository ran',
  'own-step': 'failed by itself: nothing points to its runner',
  unknown: 'failed, and why is not known',
}

/** Why a job failed, in words: what, in which step, how sure. */
export function jobFailureText(verdict: Pick<JobVerdict, 'class' | 'step' | 'confidence'>): string {
  const { class: failure, step, confidence } = verdict
  const where = step === null ? '' : `in the step "${step}" `
  return `${where}the job ${jobFailureWords[failure]} (${failure}, ${confidence})`
}
