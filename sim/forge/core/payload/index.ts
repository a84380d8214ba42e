export {
  developerLogin,
  fullOrganizationPayload,
  organizationPayload,
} from './account.ts'
export {
  appPayload,
  enterpriseAccount,
  type InstallationFacts,
  installationMessagePayload,
  installationPayload,
  tokenPayload,
} from './app.ts'
export { deploymentPayload, pendingPayload } from './deployment.ts'
export { actionOf, deliveryPayload, hookId, hookPayload, pingPayload } from './hook.ts'
export { annotationPayload, jobMessagePayload, jobPayload, surroundings } from './job.ts'
export { fullRepositoryPayload, minimalRepositoryPayload, repositoryPayload } from './repository.ts'
export { defaultBranch, defaultEvent, runMessagePayload, runPayload, workflowPayload } from './run.ts'
export { runnerGroupPayload, runnerLabels, runnerPayload } from './runner.ts'
export { headSha, idOfName, isoTime, type Json, type Links } from './shape.ts'
