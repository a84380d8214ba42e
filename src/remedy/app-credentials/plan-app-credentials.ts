import { reasonOf } from '../../domain/reason.ts'
import {
  type AppCredentialsFacts,
  type AppCredentialsScope,
  absent,
  credentialHash,
  type GateResult,
  judgeAppAccepted,
  judgeAppKeys,
  judgeNamed,
  judgeProvenBySession,
  judgeSameCredential,
  masked,
  type Remedy,
  type SecretReading,
  type SetReading,
  shortHashes,
  type Verdict,
} from '../../domain/remedy/index.ts'
import { forgeHostOf, forgeScopeOf, keyOf, type ScaleSetFact } from '../../domain/snapshot/index.ts'
import { readSession } from '../credential/read-session.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type AppSources, appCredentialsTreatment } from './app-credentials-treatment.ts'

type Target = AppCredentialsFacts['plan']['objects'][number]

/** Looks at an App's Secret with the forge, and plans its copy; with nothing to write, whether the set has its session by it. */
export async function planAppCredentials(
  remedy: Remedy<AppCredentialsFacts>,
  scope: AppCredentialsScope,
  deps: RemedyDeps & AppSources,
  signal: AbortSignal,
): Promise<Planned<AppCredentialsFacts>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const gated: Gated = (gate, { passed, proof }) => {
    gates.push({ gate, passed, proof: masked(`${keyOf(scope.scaleSet)}: ${proof}`) })
    return passed
  }
  let object: Target | null = null
  try {
    object = await look(scope, gated, deps, signal)
  } catch (error) {
    signal.throwIfAborted()
    gated('facts-read', { passed: false, proof: `not read: ${reasonOf(error)}` })
  }
  const objects = object === null ? [] : [object]
  const candidates = { began, scope, gates, objects, skipped: [] }
  return planRemedy(appCredentialsTreatment(remedy, deps), candidates, deps, signal)
}

/** Notes a gate, and says whether it passed. */
type Gated = (gate: string, verdict: Verdict) => boolean

/** The copy that is to be written; null: none, and the gates say why. With all of them passed, the set is proven. */
async function look(
  scope: AppCredentialsScope,
  gated: Gated,
  deps: AppSources,
  signal: AbortSignal,
): Promise<Target | null> {
  const { namespace } = scope.scaleSet
  const reading = await deps.cluster.readSet(scope.scaleSet, signal)
  const { set } = reading
  const [forgeHost, forgeScope] = set === null ? [null, null] : [forgeHostOf(set), forgeScopeOf(set)]
  const name = scope.appSecret ?? set?.credentialSecret ?? null
  gated('set-known', judgeSet(set, name))
  if (set === null || name === null || forgeHost === null || forgeScope === null) return null
  const from = { namespace, name }
  const uid = (await deps.secrets.readSecret(from, '', signal))?.secret.uid ?? ''
  const source = await deps.secrets.readSecret(from, uid, signal)
  if (!gated('app-keys', judgeAppKeys(source, from)) || source === null) return null
  const credential = await deps.credential.ask({ namespace, secret: name, forgeHost, forgeScope }, signal)
  if (!gated('app-accepted', judgeAppAccepted(credential, forgeScope))) return null
  const object = await compare({ scope, source, forgeHost, forgeScope }, gated, deps, signal)
  if (gated('set-names-app', judgeNamed(set, name)))
    gated('listener-session', await provenBySession(reading, source, deps, signal))
  return object
}

function judgeSet(set: ScaleSetFact | null, appSecret: string | null): Verdict {
  if (set === null) return { passed: false, proof: 'there is no such AutoscalingRunnerSet' }
  if (appSecret === null)
    return { passed: false, proof: 'it names no Secret: name the App’s with --app-secret' }
  const where = forgeScopeOf(set)
  return {
    passed: where !== null,
    proof:
      where === null ? `${set.configUrl} has no list of runners to ask for` : `its runners are ${where}’s`,
  }
}

interface Compared {
  readonly scope: AppCredentialsScope
  readonly source: SecretReading
  readonly forgeHost: string
  readonly forgeScope: string
}

async function compare(
  { scope, source, forgeHost, forgeScope }: Compared,
  gated: Gated,
  { secrets }: AppSources,
  signal: AbortSignal,
): Promise<Target | null> {
  const { scaleSet, listenerNamespace } = scope
  const { namespace, name, uid, resourceVersion } = source.secret
  if (namespace === listenerNamespace) {
    gated('copies-equal', { passed: true, proof: 'its listener runs in its own namespace' })
    return null
  }
  const target = await secrets.readSecret({ namespace: listenerNamespace, name }, uid, signal)
  const sourceHash = credentialHash(source.secret)
  if (gated('copies-equal', judgeSameCredential({ source, target })) || sourceHash === null) return null
  const targetHash = target === null ? null : credentialHash(target.secret)
  const here = target === null ? 'missing' : shortHashes(targetHash)
  return {
    kind: 'Secret',
    namespace: listenerNamespace,
    name,
    uid: target?.secret.uid ?? absent,
    resourceVersion: target?.secret.resourceVersion ?? absent,
    isMissing: target === null,
    scaleSet,
    forgeHost,
    forgeScope,
    source: { namespace, name, uid, resourceVersion },
    sourceHash,
    targetHash,
    why: `${here}, while the forge accepts ${shortHashes(sourceHash)} (${namespace}/${name})`,
    evidence: [],
  }
}

async function provenBySession(
  reading: SetReading,
  source: SecretReading,
  { credentials }: AppSources,
  signal: AbortSignal,
): Promise<Verdict> {
  return judgeProvenBySession(source, await readSession(reading, credentials, signal))
}
