import { keyOf, type ObjectRef } from '../../snapshot/index.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { CredentialReading } from './facts.ts'

const refused = /\b40[13]\b|Bad credentials/
const excerptChars = 240

/** Whether ARC's log says that the forge refused its credential when it was to remove this runner. */
export function judgeRefusal(lines: readonly string[], { namespace, name }: ObjectRef): Verdict {
  const about = [
    `"name":"${name}","namespace":"${namespace}"`,
    `"name": "${name}", "namespace": "${namespace}"`,
  ]
  const last = lines.findLast(
    (line) =>
      line.includes('Failed to clean up runner from service') && about.some((each) => line.includes(each)),
  )
  if (last === undefined)
    return fail('the log of ARC’s controller does not say that the forge refused its removal')
  const excerpt = last.replaceAll('\t', ' ').slice(-excerptChars)
  return { passed: refused.test(last), proof: `ARC’s log: …${excerpt}` }
}

/** Whether the credential is good again; where it is not, who repairs it. */
export function judgeAccepted({ secret, isAccepted, answer }: CredentialReading, set: ObjectRef): Verdict {
  if (isAccepted) return pass(`the forge takes the credential in ${nameOf(secret)}: ${answer}`)
  const where = `--scale-set ${keyOf(set)}`
  return fail(
    `the forge does not take the credential in ${nameOf(secret)}: ${answer.replace(/\.+$/, '')}. Repair it, then plan again: holdfast fix secret-drift ${where} where another copy is good, else holdfast fix credentials ${where}. Finalizers are not stripped: the registration would stay`,
  )
}

function nameOf(secret: ObjectRef | null): string {
  return secret === null ? 'no Secret that can be read' : `Secret ${keyOf(secret)}`
}
