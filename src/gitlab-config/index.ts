export { readGitlabConfig } from './read.ts'
