export { createGitHubForge, type GitHubForgeOptions } from './forge.ts'
export { createGitHubWebhooks, type GitHubWebhooksOptions } from './webhook.ts'
