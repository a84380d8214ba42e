export { type GitlabJobRef, isJobNamespace, isJobPod, jobRefOf, runnerOfPod, timeoutMsOf } from './job-pod.ts'
export { isManager, startOf } from './manager.ts'
export { isOlderThan, livingManagers, oldestStart } from './orphan.ts'
