import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { awayKinds } from './away.ts'
import { cutOffKinds } from './cut-off.ts'
import { kubeletKinds } from './kubelet.ts'
import { kubernetesKinds } from './kubernetes.ts'
import { liarKinds } from './liars.ts'
import { memoryKinds } from './memory.ts'
import { nodeKinds } from './nodes.ts'
import { runnerWordKinds } from './runner-words.ts'
import { signalKinds } from './signals.ts'
import { startKinds } from './starts.ts'
import { storageKinds } from './storage.ts'

export { processKinds } from './processes.ts'

/** As pods; those that take longest come first. */
export const podKinds: readonly DeathKind<PodStage>[] = [
  ...[...storageKinds, ...cutOffKinds, ...liarKinds, ...startKinds, ...memoryKinds, ...kubernetesKinds],
  ...[...kubeletKinds, ...signalKinds, ...runnerWordKinds, ...nodeKinds, ...awayKinds],
]
