import { getuid } from 'node:process'
import {
  type Isolation,
  type IsolationReport,
  isolationReport,
  prepareIsolation,
  type UidRange,
} from '../../adapters/process/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { Base } from '../base.ts'

export interface Isolated {
  /** Null: runners are the user that Holdfast is. */
  readonly isolation: Isolation | null
  readonly report: IsolationReport
}

/** Throws where jobs of a real forge would be root on this machine, and nobody allowed that by name. */
export async function refuseRootRunners({ config }: Base): Promise<void> {
  if (config.fleet.kind !== 'local' || config.forge.kind === 'simulated') return
  const { report } = await lookAtIsolation(config)
  if (report.isRefused)
    throw new HoldfastError('E_ROOT_RUNNERS', { forge: config.forge.kind, reason: report.sentence })
}

/** Separates local runners from Holdfast where that can be had, and says where not. */
export async function isolate({ config, log }: Base): Promise<Isolated> {
  const found = await lookAtIsolation(config)
  const { level, sentence, todo } = found.report
  if (level === 'own-users') log.info({ uids: config.runners.uids }, sentence)
  else log.warn({ todo }, sentence)
  return found
}

/** What separates local runners here, for whoever only wants to know, such as `doctor`. */
export async function lookAtIsolation(config: Config): Promise<Isolated> {
  const { isolation: wanted, uids, folder, allowRoot } = config.runners
  const uid = getuid?.() ?? 0
  const prepared =
    wanted === 'off' || uid !== 0 ? 'it is not wanted' : await prepareIsolation(folder, rangeOf(uids))
  const impossible = typeof prepared === 'string' ? prepared : null
  const isRealForge = config.forge.kind !== 'simulated'
  const report = isolationReport({ uid, wanted, impossible, isRealForge, rootAllowed: allowRoot })
  return { isolation: typeof prepared === 'string' ? null : prepared, report }
}

function rangeOf(text: string): UidRange {
  const [first = 0, last = 0] = text.split('-').map(Number)
  return { first, last }
}
