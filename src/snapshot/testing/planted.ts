import type {
  Amounts,
  ClusterFacts,
  ConditionFact,
  ContainerStateFact,
  ForgeFacts,
  Listing,
  ObjectFact,
  PodTemplateFact,
} from '../../domain/snapshot/index.ts'

/** Facts of every kind that say the same text wherever a text can stand, also as names of labels and annotations. */
export function plantedCluster(text: string): ClusterFacts {
  const { list, names, object, ref, amounts, condition, template, state } = plants(text)
  const images = names
  return {
    scaleSets: list({
      ...object,
      origin: 'arc',
      version: text,
      runnerLabels: [text],
      runnerGroup: text,
      configUrl: text,
      credentialSecret: text,
      credentialVault: { type: text, address: text, entry: text },
      minRunners: 0,
      maxRunners: null,
      template,
      forgeScaleSetId: text,
      phase: text,
      specHash: text,
      isSingleSetLayout: false,
      reportedRunners: null,
    }),
    listeners: list({
      ...object,
      scaleSet: ref,
      runnerSetName: text,
      minRunners: 0,
      maxRunners: null,
      image: text,
      credentialSecret: text,
      imagePullSecrets: [text],
    }),
    runnerSets: list({
      ...object,
      scaleSet: ref,
      specHash: text,
      replicas: 0,
      patchId: 0,
      phase: text,
      images,
      reported: { current: 0, pending: 0, running: 0, failed: 0 },
    }),
    runners: list({
      ...object,
      origin: 'arc',
      scaleSet: ref,
      runnerSet: { name: text, uid: text },
      phase: text,
      reason: text,
      message: text,
      isReady: false,
      forgeRunnerId: null,
      job: { requestId: text, id: text, name: text, repository: text, workflowRef: text, runId: 1 },
      failures: [{ podUid: text, at: 0 }],
      specHash: text,
      images,
    }),
    pods: list({
      ...object,
      ...template,
      labels: names,
      annotations: names,
      owner: { kind: text, name: text, uid: text },
      node: text,
      phase: text,
      reason: text,
      message: text,
      startedAt: 0,
      conditions: [condition],
      statuses: [
        {
          name: text,
          isReady: false,
          restarts: 0,
          imageId: text,
          state,
          lastState: { ...state, kind: 'running' },
        },
      ],
      priority: null,
    }),
    nodes: list({
      ...object,
      labels: names,
      isCordoned: false,
      taints: [{ key: text, value: text, effect: text }],
      conditions: [condition],
      allocatable: amounts,
      capacity: amounts,
      kubeletVersion: text,
      osImage: text,
      bootId: text,
      images: [text],
      machine: ref,
    }),
    nodeUsage: list({
      node: text,
      at: 0,
      nodefs: noUsage,
      imagefs: noUsage,
      memoryAvailableBytes: null,
      processesMax: null,
      processes: null,
      pods: [{ pod: ref, ephemeralBytes: null, memoryWorkingSetBytes: null }],
    }),
    nodeSettings: list({ node: text, maxPods: null, evictionHard: names, imageGcHighPercent: null }),
    nodeProbes: list({ node: text, at: 0, fileTable: null, openFilesMax: null, workers: [text] }),
    events: list({
      namespace: text,
      type: text,
      reason: text,
      message: text,
      subject: { kind: text, name: text, uid: text },
      count: 1,
      firstAt: 0,
      lastAt: 0,
    }),
    quotas: list({ ...object, isScoped: false, hard: amounts, used: amounts }),
    limitRanges: list({
      ...object,
      limits: [{ type: text, max: amounts, min: amounts, defaultLimits: amounts, defaultRequests: amounts }],
    }),
    claims: list({ ...object, phase: text, storageClass: text, requestedBytes: null, volume: text }),
    storageClasses: list({ name: text, provisioner: text, isDefault: false, bindsOnFirstConsumer: false }),
    storageCapacity: list({ storageClass: text, availableBytes: null, nodeLabels: names }),
    autoscalers: list({
      ...object,
      target: { kind: text, name: text },
      min: 0,
      max: 0,
      current: null,
      desired: null,
      conditions: [condition],
    }),
    namespaces: list({ ...object, phase: text }),
    cronJobs: list({ ...object, schedule: text, isSuspended: false, deleting: [text] }),
    priorityClasses: list({ name: text, value: 0, isDefault: false, preempts: false }),
    deployments: list({ ...object, labels: names, replicas: 0, available: 0, images, args: [text] }),
    services: list({ ...object, ports: [80], readyAddresses: null }),
    secrets: list({ ...object, type: text, keys: [{ name: text, hash: text }], registries: [text] }),
    logs: list({ pod: ref, container: text, role: 'listener', lines: text.split('\n'), isCut: false }),
    runnerLogs: list({ pod: ref, container: text, role: 'runner', lines: text.split('\n'), isCut: false }),
    machines: list({ ...object, phase: text, node: text, version: text, conditions: [condition] }),
  }
}

export function plantedForge(text: string): ForgeFacts {
  const { list } = plants(text)
  return {
    runners: list({
      scope: text,
      id: 1,
      name: text,
      isOnline: true,
      isBusy: false,
      labels: [text],
      version: text,
    }),
    jobs: list({
      repository: text,
      runId: 1,
      runAttempt: 1,
      jobId: 1,
      name: text,
      workflow: text,
      status: text,
      conclusion: text,
      labels: [text],
      runnerName: text,
      runnerId: 1,
      headSha: text,
      queuedAt: 0,
      startedAt: 0,
      completedAt: 0,
      steps: [{ number: 1, name: text, status: text, conclusion: text, startedAt: 0, completedAt: 0 }],
      annotations: [{ level: text, title: text, message: text }],
      url: text,
    }),
    logs: list({ repository: text, jobId: 1, lines: text.split('\n'), isCut: false }),
    budgets: list({ credential: text, kind: 'app', limit: 1, remaining: 1, resetAt: 0, at: 0 }),
  }
}

const noUsage = {
  availableBytes: null,
  capacityBytes: null,
  usedBytes: null,
  inodesFree: null,
  inodes: null,
}

/** The parts that several kinds share. */
function plants(text: string) {
  const ref = { namespace: text, name: text }
  const names = { [text]: text }
  const amounts: Amounts = { [text]: 1 }
  const object: ObjectFact = {
    ...ref,
    uid: text,
    resourceVersion: text,
    createdAt: 0,
    deletedAt: null,
    finalizers: [text],
  }
  const condition: ConditionFact = { type: text, status: text, reason: text, message: text, at: 0 }
  const template: PodTemplateFact = {
    containers: [
      {
        name: text,
        isInit: false,
        isSidecar: false,
        image: text,
        requests: amounts,
        limits: amounts,
        env: [{ name: text, value: text, from: 'value', ref: text }],
      },
    ],
    nodeSelector: names,
    tolerations: [{ key: text, operator: text, value: text, effect: text }],
    nodeAffinity: [[{ key: text, operator: 'In', values: [text] }]],
    volumes: [
      { name: text, kind: 'claim', claim: text, storageClass: text, sizeBytes: null, mountPaths: [text] },
    ],
    imagePullSecrets: [text],
    priorityClass: text,
    serviceAccount: text,
    overhead: amounts,
    labels: names,
    podRules: {
      affinity: [{ topologyKey: text, selector: null, namespaces: [text], isWhole: true }],
      antiAffinity: [
        {
          topologyKey: text,
          selector: [{ key: text, operator: 'In', values: [text] }],
          namespaces: null,
          isWhole: true,
        },
      ],
      spread: [text],
    },
  }
  const state: ContainerStateFact = {
    kind: 'waiting',
    reason: text,
    message: text,
    exitCode: null,
    signal: null,
    startedAt: 0,
    finishedAt: 0,
  }
  const list = <T>(item: T): Listing<T> => ({
    source: 'cluster',
    at: 0,
    items: [item],
    unread: [{ what: text, why: text, needs: text }],
  })
  return { ref, names, amounts, object, condition, template, state, list }
}
