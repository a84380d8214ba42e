export { createGitlabApi } from './gitlab-api.ts'
export { createGitlabJobs } from './jobs.ts'
