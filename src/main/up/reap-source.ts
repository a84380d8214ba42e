import { hostname } from 'node:os'
import { createCluster, createRemedyCluster, findConnection } from '../../adapters/kubernetes/index.ts'
import type { OpenReap, ReapSource } from '../../controllers/remedy/reap/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { RemedyForge } from '../../ports/remedy.ts'
import type { Base } from '../base.ts'
import { loadForgeModule } from '../forge/index.ts'
import { openRemedyStore, sha256 } from '../remedy-store/index.ts'
import { version } from '../version.ts'
import type { Program } from './program.ts'

const minuteMs = 60_000

/** The reaper of the leader, as the settings have it; null: it is off. Throws E_REMEDY_FORGE where no forge can be asked. */
export async function reapSource({
  base,
  secrets,
}: Pick<Program, 'base' | 'secrets'>): Promise<ReapSource | null> {
  const { mode, scaleSets, all, namespaces, staleGeneration, minAgeSeconds, everyMinutes } =
    base.config.remedies.reap
  if (mode === 'off') return null
  await (await openForge(base))[Symbol.asyncDispose]()
  return {
    mode,
    sets: all ? null : scaleSets.map(placeOf),
    namespaces: namespaces.length === 0 ? null : namespaces,
    isStaleGeneration: staleGeneration,
    minAgeMs: minAgeSeconds * 1_000,
    everyMs: everyMinutes * minuteMs,
    open: (signal) => openReap({ ...base, config: renewed(base.config, secrets) }, signal),
  }
}

function placeOf(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = text.split('/')
  return { namespace, name }
}

/** With the credentials of the forge as their files have them now. */
function renewed(config: Config, secrets: Program['secrets']): Config {
  const { s3: _, ...ofForge } = secrets()
  return { ...config, forge: { ...config.forge, ...ofForge } }
}

/** Connections of their own, for one pass: a pass comes every half hour, and the trail is read whole by each. */
async function openReap(base: Base, signal: AbortSignal): Promise<OpenReap> {
  const { config, clock, entropy, log } = base
  const stack = new AsyncDisposableStack()
  try {
    const forge = stack.use(await openForge(base))
    const store = stack.use(await openRemedyStore(base, signal))
    const { kubeconfig } = config.fleet
    const connection = await findConnection({ kubeconfig, env: process.env, clock, log })
    const cluster = createCluster({ connection, clock, entropy, log })
    stack.defer(() => cluster.close())
    const { controllerNamespace } = config.remedies.reap
    return {
      store,
      remedy: {
        site: new URL(connection.server).host,
        cluster: createRemedyCluster({ cluster, clock, controllerNamespace }),
        forge,
        trail: store.trail,
        clock,
        digest: sha256,
        actor: { kind: 'controller', name: `reap at ${hostname()}` },
        program: version,
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function openForge(base: Base): Promise<RemedyForge & AsyncDisposable> {
  const { openRemedyForge } = await loadForgeModule(base.config.forge.kind)
  const forge = openRemedyForge(base)
  if (forge === null) throw new HoldfastError('E_REMEDY_FORGE', {})
  return forge
}
