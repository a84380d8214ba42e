import { appKeys, tokenKey } from '../../audit/credentials/credential.ts'
import { forgeHostOf, forgeScopeOf, keyOf, type ObjectRef, type ScaleSetFact } from '../../snapshot/index.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { SecretReading } from '../pull-secrets/facts.ts'
import type { CredentialReading } from '../stuck-finalizers/facts.ts'

const keysText = appKeys.join(', ')

/** Whether the Secret has the three keys of an App by the names that ARC reads, and nothing else. */
export function judgeAppKeys(reading: SecretReading | null, place: ObjectRef): Verdict {
  if (reading === null) return fail(`there is no Secret ${keyOf(place)}: make it with the keys ${keysText}`)
  const names = reading.secret.keys.map(({ name }) => name)
  const lacking = appKeys.filter((name) => !names.includes(name))
  const others = names.filter((name) => !appKeys.some((known) => known === name))
  if (lacking.length === 0 && others.length === 0) return pass(`${keyOf(place)} has ${keysText}`)
  if (names.includes(tokenKey) && lacking.length === appKeys.length)
    return fail(
      `${keyOf(place)} has a token, and no App: make a Secret next to the set with the keys ${keysText}, and name it with --app-secret`,
    )
  const wrong = [
    ...(lacking.length === 0 ? [] : [`has no ${lacking.join(', no ')}`]),
    ...(others.length === 0 ? [] : [`has ${others.join(', ')}, which is no key of an App that ARC reads`]),
  ]
  return fail(
    `app-secret-bad-key: ${keyOf(place)} ${wrong.join(', and ')}: let its source have exactly ${keysText}`,
  )
}

/** Whether the forge lets the App into the runners of the set. */
export function judgeAppAccepted({ isAccepted, answer }: CredentialReading, forgeScope: string): Verdict {
  return isAccepted
    ? pass(`the forge takes the App: ${answer}`)
    : fail(
        `the forge does not take the App: ${answer.replace(/\.+$/, '')}. Install it on ${forgeScope} with the right to read and write self-hosted runners, or put its id, installation and key right in the Secret’s source`,
      )
}

/** Whether the set's runners are registered where they were when the App was looked at. */
export function judgeRegisteredAt(
  set: ScaleSetFact | null,
  { forgeHost, forgeScope }: { readonly forgeHost: string; readonly forgeScope: string },
): Verdict {
  if (set === null) return fail('there is no such set any more')
  return {
    passed: forgeHostOf(set) === forgeHost && forgeScopeOf(set) === forgeScope,
    proof: `its URL is ${set.configUrl}`,
  }
}

/** Whether the set itself uses the App; where it does not, who changes that. */
export function judgeNamed(set: ScaleSetFact, appSecret: string): Verdict {
  const { credentialSecret } = set
  if (credentialSecret === appSecret) return pass(`it names ${appSecret}`)
  return fail(
    `it names ${credentialSecret ?? 'no Secret'}. Which one is its source’s to say: ${applyCommand(set, appSecret)}`,
  )
}

/** The command by which the set's own source gives it the App. */
export function applyCommand(set: ObjectRef, appSecret: string): string {
  return `holdfast apply --scale-set ${keyOf(set)} -- <your command that sets githubConfigSecret to ${appSecret}>`
}
