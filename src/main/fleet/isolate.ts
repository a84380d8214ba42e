import { getuid } from 'node:process'
import {
  findSharedUser,
  type Isolation,
  type IsolationReport,
  isolationReport,
  prepareIsolation,
  type UidRange,
} from '../../adapters/process/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isSimulated } from '../../domain/forge/index.ts'
import type { Config } from '../../platform/config/index.ts'
import type { Base } from '../base.ts'

export interface ProbedIsolation {
  /** Null: runners have Holdfast's own user. */
  readonly isolation: Isolation | null
  readonly report: IsolationReport
}

/**
 * Throws E_ROOT_RUNNERS where jobs of a real forge would be root on this machine, or jobs that are to be another user, and
 * no setting allows that.
 */
export async function refuseRootRunners({ config }: Base): Promise<void> {
  if (config.fleet.kind !== 'local') return
  if (isSimulated(config.forge.kind) && config.runners.runAs === undefined) return
  const { report } = await probeIsolation(config)
  if (report.isRefused)
    throw new HoldfastError('E_ROOT_RUNNERS', { forge: config.forge.kind, reason: report.sentence })
}

/** Separates local runners from Holdfast where this machine can do that; logs where it cannot. */
export async function isolate({ config, log }: Base): Promise<ProbedIsolation> {
  const found = await probeIsolation(config)
  const { level, sentence, todo } = found.report
  if (level === 'own-users') log.info({ uids: config.runners.uids }, sentence)
  else log.warn({ todo }, sentence)
  return found
}

/** Probes the isolation of local runners on this machine; `doctor` uses it too. */
export async function probeIsolation(config: Config): Promise<ProbedIsolation> {
  const { isolation: wanted, runAs = null, allowRoot } = config.runners
  const uid = getuid?.() ?? 0
  const isWanted = uid === 0 && (wanted === 'auto' || runAs !== null)
  const prepared = isWanted ? await prepare(config.runners) : 'it is not wanted'
  const impossible = typeof prepared === 'string' ? prepared : null
  const isRealForge = !isSimulated(config.forge.kind)
  const report = isolationReport({ uid, wanted, runAs, impossible, isRealForge, rootAllowed: allowRoot })
  return { isolation: typeof prepared === 'string' ? null : prepared, report }
}

async function prepare({ runAs, uids, folder }: Config['runners']): Promise<Isolation | string> {
  const users = runAs === undefined ? rangeOf(uids) : await findSharedUser(runAs)
  return typeof users === 'string' ? users : prepareIsolation(folder, users)
}

function rangeOf(text: string): UidRange {
  const [first = 0, last = 0] = text.split('-').map(Number)
  return { first, last }
}
