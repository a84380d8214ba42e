import { isManager } from '../../domain/gitlab/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import {
  type GateResult,
  type GitlabTokenFacts,
  type GitlabTokenScope,
  masked,
  type Remedy,
  type SecretReading,
  type SkippedObject,
  tokenKeys,
} from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { gitlabTokenTreatment, type ManagerSources } from './gitlab-token-treatment.ts'

type Target = GitlabTokenFacts['plan']['objects'][number]

/** Looks for the one Secret with the manager's token, asks GitLab whose it is, and plans the restart. */
export async function planGitlabToken(
  remedy: Remedy<GitlabTokenFacts>,
  scope: GitlabTokenScope,
  deps: RemedyDeps & ManagerSources,
  signal: AbortSignal,
): Promise<Planned<GitlabTokenFacts>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const objects: Target[] = []
  const skipped: SkippedObject[] = []
  try {
    const found = await targetOf(scope, deps, signal)
    if ('kind' in found) objects.push(found)
    else skipped.push({ ...scope.deployment, why: masked(found.why) })
  } catch (error) {
    signal.throwIfAborted()
    const proof = masked(`${keyOf(scope.deployment)}: not read: ${reasonOf(error)}`)
    gates.push({ gate: 'manager-known', passed: false, proof })
  }
  return planRemedy(
    gitlabTokenTreatment(remedy, deps),
    { began, scope, gates, objects, skipped },
    deps,
    signal,
  )
}

async function targetOf(
  { deployment: place, jobNamespaces }: GitlabTokenScope,
  { managers, secrets, tokens, clock }: ManagerSources & Pick<RemedyDeps, 'clock'>,
  signal: AbortSignal,
): Promise<Target | { readonly why: string }> {
  const { namespace } = place
  const found = await managers.readDeployment(place, signal)
  if (found === null) return { why: 'there is no such Deployment' }
  if (!isManager(found.images)) return { why: 'it is no manager of GitLab Runner, by its image' }
  const named: SecretReading[] = []
  for (const name of found.secretNames) {
    const reading = await secrets.readSecret({ namespace, name }, '', signal)
    if (reading?.secret.keys.some((key) => tokenKeys.has(key.name))) named.push(reading)
  }
  const [reading, ...others] = named
  if (reading === undefined) return { why: 'its pods name no Secret with a token' }
  if (others.length > 0)
    return {
      why: `its pods name several Secrets with a token: ${named.map(({ secret }) => secret.name).join(', ')}`,
    }
  const { name, uid, resourceVersion } = reading.secret
  const secret = { namespace, name, uid, resourceVersion }
  const runnerId = await tokens.runnerOf(secret, authenticationKey, signal)
  if (runnerId === null) return { why: `GitLab refuses the token in ${keyOf(secret)}: no restart helps` }
  return {
    ...place,
    kind: 'Deployment',
    uid: found.uid,
    resourceVersion: found.resourceVersion,
    secret,
    secretKey: authenticationKey,
    runnerId,
    jobNamespaces,
    mark: new Date(clock.now()).toISOString(),
    why: `its process has the token of before, and ${keyOf(secret)} has one of runner ${runnerId}`,
    evidence: [],
  }
}

/** The other key is for making a runner, and says nothing about one. */
const authenticationKey = 'runner-token'
