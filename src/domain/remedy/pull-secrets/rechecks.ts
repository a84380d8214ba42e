import { covers } from '../../audit/pull-secrets/pull-secret.ts'
import { fail, type Gate, pass, type Verdict } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import type { PullSecretsFacts } from './facts.ts'
import { judgeEqual, judgePulled, judgeWaiting, pullSecretType } from './judge-copy.ts'

type Facts = RecheckFacts<PullSecretsFacts>

/** Asked immediately before each write; every one must pass. */
export const rechecks: readonly Gate<Facts>[] = [
  {
    name: 'same-object',
    why: 'Another object of the same name, or another state of it, was never approved. A pod that waits is written by its kubelet all the time: its UID counts, and its state is judged by another gate.',
    judge: judgeSame,
  },
  {
    name: 'same-source',
    why: 'Only the copy that was proven good is copied.',
    judge({ source, planned }) {
      if (source === null) return fail('there is no runners’ copy any more')
      const { uid, resourceVersion } = source.secret
      const isSame = uid === planned.source.uid && resourceVersion === planned.source.resourceVersion
      return { passed: isSame, proof: `uid ${uid}, resourceVersion ${resourceVersion}` }
    },
  },
  {
    name: 'source-covers',
    why: 'A copy without credentials for the registry of the listener’s image helps nobody.',
    judge({ source, planned: { registry } }) {
      const secret = source?.secret
      if (secret === undefined) return fail('there is no runners’ copy any more')
      const proof = `${secret.type} with credentials for ${secret.registries.join(', ') || 'no registry'}`
      return { passed: secret.type === pullSecretType && covers(secret, registry), proof }
    },
  },
  {
    name: 'source-proven',
    why: 'A Secret is good where a runner pulled with it since it was written, from this registry.',
    judge: ({ source, planned: { registry }, pods, events }) =>
      source === null
        ? fail('there is no runners’ copy any more')
        : judgePulled(source, registry, { pods, events }),
  },
  {
    name: 'copy-needed',
    why: 'Equal copies that are refused are an invalid credential: copying changes nothing. And a pod is made again only after the copy.',
    judge: judgeNeeded,
  },
  {
    name: 'loses-nothing',
    why: 'Credentials for another registry, which only the controller’s copy has, would be lost.',
    judge({ source, target }) {
      if (target === null) return pass('there is no controller’s copy')
      const { type, registries } = target.secret
      const lost = registries.filter((each) => source?.secret.registries.includes(each) !== true)
      if (type !== pullSecretType) return fail(`the controller’s copy is of the type ${type}`)
      return {
        passed: lost.length === 0,
        proof: `only in the controller’s copy: ${lost.join(', ') || 'nothing'}`,
      }
    },
  },
]

function judgeSame({ planned, target, listenerPod }: Facts): Verdict {
  const found = planned.kind === 'Pod' ? listenerPod : (target?.secret ?? null)
  if (planned.kind === 'Secret' && planned.isMissing)
    return found === null ? pass('it is not there, as planned') : fail('it is there now, and was not')
  if (found === null) return fail('there is no such object any more')
  const isSame =
    found.uid === planned.uid && (planned.kind === 'Pod' || found.resourceVersion === planned.resourceVersion)
  return { passed: isSame, proof: `uid ${found.uid}, resourceVersion ${found.resourceVersion}` }
}

function judgeNeeded(facts: Facts): Verdict {
  const { planned, plan, listenerPod } = facts
  const equal = judgeEqual(facts)
  if (planned.kind === 'Secret')
    return equal.passed ? fail(`equal already: ${equal.proof}`) : pass(equal.proof)
  const waiting = judgeWaiting(listenerPod)
  // While a plan is made, the copy before this pod is only planned.
  const isDraft = !plan.objects.some(({ kind, uid }) => kind === 'Pod' && uid === planned.uid)
  const isCopyPlanned = plan.objects.some(
    ({ kind, source }) => kind === 'Secret' && source.uid === planned.source.uid,
  )
  const isReady = isDraft ? isCopyPlanned : equal.passed
  return { passed: waiting.passed && isReady, proof: `${waiting.proof}; ${equal.proof}` }
}
