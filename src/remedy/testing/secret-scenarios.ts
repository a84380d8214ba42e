import {
  type AppCredentialsFacts,
  appCredentials,
  type GitlabTokenFacts,
  gitlabToken,
  type SecretDriftFacts,
  secretDrift,
} from '../../domain/remedy/index.ts'
import {
  appCredentialsTreatment,
  gitlabTokenTreatment,
  planAppCredentials,
  planGitlabToken,
  planSecretDrift,
  secretDriftTreatment,
  type Treatment,
} from '../index.ts'
import { AppWorld, appHere, appThere, appWith, goodKey, staleKey } from './app-world.ts'
import { CredentialsWorld, goodToken, other, own, staleToken } from './credentials-world.ts'
import { GitlabWorld, manager, newToken, tokenSecret } from './gitlab-token-world.ts'
import type { SingleScenario } from './single-races.ts'
import { place } from './world.ts'

/** A drifted credential in a fleet that others write, too. */
export const drifting: SingleScenario<SecretDriftFacts, CredentialsWorld> = {
  remedy: secretDrift,
  world: () => new CredentialsWorld(),
  plan: (remedy, world, signal) => planSecretDrift(remedy, { sets: [place] }, world.deps(), signal),
  treatment: (remedy, world) => secretDriftTreatment(remedy, world.deps()),
  actions: {
    'the set’s own copy is written': (world) => world.put(own, { github_token: 'planted-newer-own' }),
    'the other copy is written': (world) => world.put(other, { github_token: 'planted-newer-other' }),
    'somebody writes the same': (world) => world.put(other, { github_token: goodToken }),
    'the other copy is made again': (world) => {
      world.stored.delete(other)
      world.put(other, { github_token: 'planted-made-again' })
    },
    'the session is lost': (world) => world.loseSession(),
    'another set begins to use the other copy': (world) => world.beginUse(),
  },
  problems: ({ acts }, { objects: [planned] }, isSeen) =>
    acts.flatMap(({ before, source, tick }) => {
      const wasSeen = (change: string, read: string) => isSeen(change, read, tick)
      const isPlanned = before?.uid === planned?.uid && String(before?.version) === planned?.resourceVersion
      const isSource = String(source.version) === planned?.source.resourceVersion
      return [
        ...(isPlanned ? [] : ['a state was written over that was not planned']),
        ...(isSource ? [] : ['a source was copied that was not planned']),
        ...(wasSeen('the session was lost', 'the log was read') ? ['a copy that no session proves'] : []),
        ...(wasSeen('another set began', 'users were read') ? ['a copy over a credential in use'] : []),
      ]
    }),
  planted: [goodToken, staleToken, 'planted-newer-own', 'planted-newer-other', 'planted-made-again'],
}

/** An App that takes the place of a token, in a fleet that others write, too; its copy is there, or not yet. */
export const replacing = (isMissing: boolean): SingleScenario<AppCredentialsFacts, AppWorld> => ({
  remedy: appCredentials,
  world() {
    const world = new AppWorld()
    if (isMissing) world.stored.delete(appThere)
    return world
  },
  plan(remedy, world, signal) {
    const scope = { scaleSet: place, appSecret: 'arc-app', listenerNamespace: 'arc-systems' }
    return planAppCredentials(remedy, scope, world.deps(), signal)
  },
  treatment: (remedy, world) => appCredentialsTreatment(remedy, world.deps()),
  actions: {
    'the App’s Secret is written': (world) => world.put(appHere, appWith('planted-newer-app')),
    'a key of it gets another name': (world) => world.put(appHere, { github_app_pem: goodKey }),
    'the other copy is written': (world) => world.put(appThere, appWith('planted-newer-other')),
    'somebody writes the same': (world) => world.put(appThere, appWith(goodKey)),
    'the other copy is removed': (world) => void world.stored.delete(appThere),
    'the App is uninstalled': (world) => world.uninstall(),
    'the set moves': (world) => world.move(),
    'another set begins to use the other copy': (world) => world.beginUse(),
  },
  problems: ({ acts }, { objects: [planned] }, isSeen) =>
    acts.flatMap(({ before, source, tick }) => {
      const wasSeen = (change: string, read: string) => isSeen(change, read, tick)
      const isPlanned = planned?.isMissing
        ? before === null
        : before?.uid === planned?.uid && String(before?.version) === planned?.resourceVersion
      const isSource = String(source.version) === planned?.source.resourceVersion
      return [
        ...(isPlanned ? [] : ['a state was written over that was not planned']),
        ...(isSource ? [] : ['an App was copied that was not planned']),
        ...(wasSeen('the App was uninstalled', 'the App was asked about')
          ? ['an App that the forge refuses']
          : []),
        ...(wasSeen('the set moved', 'the set was read') ? ['an App of another organisation'] : []),
        ...(wasSeen('another set began', 'users were read') ? ['a copy over a credential in use'] : []),
      ]
    }),
  planted: [goodKey, staleKey, 'planted-newer-app', 'planted-newer-other'],
})

/** A variant that writes the App's copy by name alone. */
export function onAnyCopy(
  treatment: Treatment<AppCredentialsFacts>,
  world: AppWorld,
): Treatment<AppCredentialsFacts> {
  return {
    ...treatment,
    act(planned, signal) {
      const { uid = 'gone', version = 0 } = world.stored.get(appThere) ?? {}
      const state = { uid, resourceVersion: String(version), isMissing: uid === 'gone' }
      return treatment.act({ ...planned, ...state }, signal)
    },
  }
}

/** A variant that writes by name alone. */
export function onAnyState(
  treatment: Treatment<SecretDriftFacts>,
  world: CredentialsWorld,
): Treatment<SecretDriftFacts> {
  const stateOf = (key: string) => {
    const { uid = 'gone', version = 0 } = world.stored.get(key) ?? {}
    return { uid, resourceVersion: String(version) }
  }
  return {
    ...treatment,
    async act(planned, signal) {
      const source = { ...planned.source, ...stateOf(own) }
      const answer = await treatment.act({ ...planned, ...stateOf(other), source }, signal)
      return answer === 'conflict' ? treatment.act({ ...planned, ...stateOf(other), source }, signal) : answer
    },
  }
}

/** A manager with the token of before, in a fleet where jobs come and others write. */
export const restarting: SingleScenario<GitlabTokenFacts, GitlabWorld> = {
  remedy: gitlabToken,
  world: () => new GitlabWorld(),
  plan: (remedy, world, signal) =>
    planGitlabToken(remedy, { deployment: manager, jobNamespaces: ['ci'] }, world.deps(), signal),
  treatment: (remedy, world) => gitlabTokenTreatment(remedy, world.deps()),
  actions: {
    'the Deployment is written': (world) => void Object.assign(world, { version: world.version + 1 }),
    'the Secret is written': (world) => world.put(tokenSecret, { 'runner-token': 'planted-newest' }),
    'the token is revoked': (world) => world.revoke(),
    'a job starts': (world) => world.startJob(),
    'a pod of a job starts': (world) => world.startJobPod(),
    'the manager recovers': (world) => world.recover(),
  },
  problems: ({ restarts }, { objects: [planned] }, isSeen) =>
    restarts.flatMap(({ uid, resourceVersion, tick }) => {
      const wasSeen = (change: string, read: string) => isSeen(change, read, tick)
      const isPlanned = uid === planned?.uid && resourceVersion === planned.resourceVersion
      return [
        ...(isPlanned ? [] : ['a state was written over that was not planned']),
        ...(wasSeen('a job started', 'jobs were read') ? ['a manager with a job was restarted'] : []),
        ...(wasSeen('a job pod started', 'pods were read') ? ['a manager with a job pod was restarted'] : []),
        ...(wasSeen('the manager recovered', 'the log was read')
          ? ['a manager that works was restarted']
          : []),
        ...(wasSeen('the token was revoked', 'the token was asked about')
          ? ['restarted for a bad token']
          : []),
      ]
    }),
  planted: [newToken, 'planted-newest'],
}
