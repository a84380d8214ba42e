import type { ListenerFact, ScaleSetFact } from '../../../../domain/snapshot/index.ts'
import {
  type Cursor,
  count,
  each,
  inside,
  name,
  nameNeeded,
  number,
  textMap,
  texts,
  words,
} from './cursor.ts'
import { marksOf, objectFact } from './object.ts'
import { parsePodTemplate } from './pod-template.ts'

/** ARC's number for "no maximum" in a listener. */
const noMaximum = 2 ** 31 - 1

/** ARC's AutoscalingRunnerSet, from release 0.9 on. */
export function parseScaleSet(object: Cursor): ScaleSetFact {
  const { labels, annotations } = marksOf(object)
  const spec = inside(object, 'spec')
  const status = inside(object, 'status')
  const fact = objectFact(object)
  const template = inside(spec, 'template')
  const setName = name(spec, 'runnerScaleSetName') ?? fact.name
  const integrityHash = name(annotations, 'actions.github.com/integrity-hash')
  return {
    ...fact,
    origin: 'arc',
    version: name(labels, 'app.kubernetes.io/version'),
    runnerLabels: [...new Set([setName, ...texts(spec, 'runnerScaleSetLabels')])],
    runnerGroup: name(spec, 'runnerGroup') ?? name(annotations, 'actions.github.com/runner-group-name'),
    configUrl: words(spec, 'githubConfigUrl'),
    ...credentialIn(spec),
    minRunners: count(spec, 'minRunners'),
    maxRunners: number(spec, 'maxRunners'),
    template: {
      ...parsePodTemplate(inside(template, 'spec'), null),
      labels: textMap(inside(template, 'metadata'), 'labels'),
    },
    forgeScaleSetId: name(annotations, 'runner-scale-set-id'),
    phase: name(status, 'phase'),
    specHash: integrityHash ?? name(annotations, 'actions.github.com/change-hash'),
    isSingleSetLayout: integrityHash !== null,
    reportedRunners: number(status, 'currentRunners'),
  }
}

/** ARC's AutoscalingListener. */
export function parseListener(object: Cursor): ListenerFact {
  const spec = inside(object, 'spec')
  const maxRunners = count(spec, 'maxRunners')
  return {
    ...objectFact(object),
    scaleSet: {
      namespace: nameNeeded(spec, 'autoscalingRunnerSetNamespace'),
      name: nameNeeded(spec, 'autoscalingRunnerSetName'),
    },
    runnerSetName: nameNeeded(spec, 'ephemeralRunnerSetName'),
    minRunners: count(spec, 'minRunners'),
    maxRunners: maxRunners >= noMaximum ? null : maxRunners,
    image: words(spec, 'image') ?? '',
    credentialSecret: credentialIn(spec).credentialSecret,
    imagePullSecrets: each(spec, 'imagePullSecrets').flatMap((ref) => name(ref, 'name') ?? []),
  }
}

/** `githubConfigSecret` names a Secret, or an entry of the vault that `vaultConfig` gives a type. */
function credentialIn(spec: Cursor): Pick<ScaleSetFact, 'credentialSecret' | 'credentialVault'> {
  const credential = name(spec, 'githubConfigSecret')
  const vault = inside(spec, 'vaultConfig')
  const type = name(vault, 'type')
  // ARC reads a Secret also where `vaultConfig` is there without a type.
  if (type === null) return { credentialSecret: credential, credentialVault: null }
  const address = words(inside(vault, 'azureKeyVault'), 'url')
  return { credentialSecret: null, credentialVault: { type, address, entry: credential } }
}
