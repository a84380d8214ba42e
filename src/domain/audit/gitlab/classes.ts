import type { FindingClass } from '../audit.ts'

const page = 'gitlab.md'
const [registration, parts] = ['E1', 'section 5']

export const managerUnavailable: FindingClass = {
  name: 'manager-unavailable',
  entry: registration,
  title: 'No manager of GitLab Runner is available',
  mustNotConclude: [
    'Jobs that wait at GitLab do not wait for capacity: nobody takes them.',
    'Job pods that still run may have lost their manager: nobody reports their end.',
  ],
  page,
}

export const tokenSecretMissing: FindingClass = {
  name: 'token-secret-missing',
  entry: registration,
  title: 'A manager waits for a Secret that is not there',
  mustNotConclude: ['An apply that succeeded is no proof that a token was made.'],
  page,
}

export const tokenInvalid: FindingClass = {
  name: 'token-invalid',
  entry: registration,
  title: 'GitLab refuses the token of a manager',
  mustNotConclude: [
    'A manager that is Running is not registered: it runs without a valid token as well.',
    'The token in the Secret may be a newer one: a manager reads it only when it starts.',
  ],
  page,
}

export const tokenStaleInPod: FindingClass = {
  name: 'token-stale-in-pod',
  entry: registration,
  title: 'The Secret with the token is newer than the manager that should have read it',
  mustNotConclude: ['It may hold the same token again: GitLab alone can say which one is valid.'],
  page,
}

export const autoscalerTargetMissing: FindingClass = {
  name: 'autoscaler-target-missing',
  entry: parts,
  title: 'An autoscaler scales a Deployment that is not there',
  mustNotConclude: ['Its replica count says nothing about the managers that run.'],
  page,
}

export const managerAutoscaled: FindingClass = {
  name: 'manager-autoscaled',
  entry: parts,
  title: 'An autoscaler adds and removes managers',
  mustNotConclude: [
    "A manager's CPU and memory do not measure the jobs that wait.",
    'More replicas are not more capacity: each takes `concurrent` jobs more, on the same nodes and quota.',
  ],
  page,
}

export const concurrencyAboveQuota: FindingClass = {
  name: 'concurrency-above-quota',
  entry: parts,
  title: 'Managers may take more jobs than the quota of their namespace has room for',
  mustNotConclude: [
    'A job that fails with `exceeded quota` does not prove that the nodes are full.',
    'That it has not happened yet only means that fewer jobs came at once.',
  ],
  page,
}

export const orphanedJobPods: FindingClass = {
  name: 'orphaned-job-pods',
  entry: parts,
  title: 'Job pods run although the manager that made them is gone',
  mustNotConclude: [
    'A manager that was started again does not take them over, and does not remove them.',
    'The script in the pod may still be working: nobody reports what it does.',
  ],
  page,
}

export const orphanedJobNamespace: FindingClass = {
  name: 'orphaned-job-namespace',
  entry: parts,
  title: 'A namespace of one job has outlived it',
  mustNotConclude: ['That no pod runs in it does not prove that nothing of value is left there.'],
  page,
}

export const evidenceCleaner: FindingClass = {
  name: 'evidence-cleaner',
  entry: 'section 4',
  title: 'A CronJob removes failed pods, and the evidence of their end',
  mustNotConclude: [
    'That no failed pod is there does not mean that none failed.',
    'Its errors are seen by nobody where its command throws them away.',
  ],
  page,
}

export const gitlabClasses = [
  managerUnavailable,
  tokenSecretMissing,
  tokenInvalid,
  tokenStaleInPod,
  autoscalerTargetMissing,
  managerAutoscaled,
  concurrencyAboveQuota,
  orphanedJobPods,
  orphanedJobNamespace,
  evidenceCleaner,
]
