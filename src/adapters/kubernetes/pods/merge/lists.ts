/** How elements of a list find each other. A list without a rule is replaced as a whole, as Kubernetes does it. */
export interface ListRule {
  /** Elements with the same value of this field are the same element. */
  readonly key: string
  /** Whether an element has, besides its key, one field of several: then what the template says replaces it. */
  readonly isOneOf: boolean
}

const by = (key: string, isOneOf = false): ListRule => ({ key, isOneOf })

const containerLists: Readonly<Record<string, ListRule>> = {
  env: by('name', true),
  ports: by('containerPort'),
  volumeMounts: by('mountPath'),
  volumeDevices: by('devicePath'),
}

/** The merge keys that Kubernetes gives to the lists of a pod, by their path. */
export const listRules: ReadonlyMap<string, ListRule> = new Map([
  ['spec.containers', by('name')],
  ['spec.initContainers', by('name')],
  ...Object.entries(containerLists).flatMap(([name, rule]): [string, ListRule][] => [
    [`spec.containers.${name}`, rule],
    [`spec.initContainers.${name}`, rule],
  ]),
  ['spec.volumes', by('name', true)],
  ['spec.imagePullSecrets', by('name')],
  ['spec.hostAliases', by('ip')],
  ['spec.topologySpreadConstraints', by('topologyKey')],
  ['spec.resourceClaims', by('name', true)],
  ['spec.schedulingGates', by('name')],
])
