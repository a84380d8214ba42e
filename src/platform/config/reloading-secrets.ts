import { isDeepStrictEqual } from 'node:util'
import { valueAt } from '../../api/schema/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Redactor } from '../../domain/redact/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { fileIdentity } from './file-identity.ts'
import type { OwnSettings } from './forge/kind-settings.ts'
import { type ConfigInputs, loadConfig } from './load.ts'
import type { Config } from './schema.ts'
import { textsIn } from './secret-values.ts'
import { settingList } from './settings.ts'

/** Credentials that authenticate us to the forge, and the forge to us; of the settings of one kind, its credentials. */
export type ForgeSecrets = Pick<Config['forge'], 'token' | 'webhookSecrets'> & OwnSettings

/** All secrets that may change while we run. */
export interface Secrets extends ForgeSecrets {
  /** By which death records are written to a store. */
  readonly s3: Pick<Config['records']['s3'], 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>
}

export interface ReloadingSecrets {
  /** As the files have them now; the last good ones where they cannot be used. */
  current(): Secrets
}

export interface ReloadingSecretsOptions {
  readonly inputs: ConfigInputs
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** Learns every secret that was read, so that it is hidden from then on. */
  readonly redactor: Pick<Redactor, 'learn'>
}

/** The files are looked at when a secret is read, and at most so often. */
const everyMs = 1_000

interface Loaded {
  /** Every file that was asked for, with what it was before it was read. */
  readonly files: ReadonlyMap<string, string>
  readonly config: Config | HoldfastError
}

/**
 * Secrets, read again when the configuration's file or a file that a secret names has changed. A file
 * that is broken or gone changes nothing but is said, once, and so is that it is good again. Throws
 * E_CONFIG_INVALID where the first reading fails.
 */
export function reloadingSecrets(options: ReloadingSecretsOptions): ReloadingSecrets {
  const { inputs, clock, log, redactor } = options
  const first = load(inputs)
  if (first.config instanceof HoldfastError) throw first.config
  let good = first.config
  let files = first.files
  let complaint: string | null = null
  let lookedAt = clock.now()

  function look(): void {
    // While something is wrong it is tried again each time: not every cure shows in the file.
    if (complaint === null && !hasChanged(files)) return
    const next = load(inputs)
    if (next.config instanceof HoldfastError) {
      files = new Map([...files, ...next.files])
      if (complaint === next.config.message) return
      complaint = next.config.message
      log.warn({ problem: complaint }, 'credentials could not be read again; the last good ones stay in use')
      return
    }
    const values = reloadedValues(next.config)
    const isNew = !isDeepStrictEqual(values, reloadedValues(good))
    if (isNew) redactor.learn(textsIn(values))
    if (isNew) log.info({}, 'credentials changed and are in use')
    else if (complaint !== null) log.info({}, 'credentials can be read again')
    good = next.config
    files = next.files
    complaint = null
  }

  return {
    current() {
      const now = clock.now()
      // A clock that was set back must not stop the looking.
      if (now - lookedAt >= everyMs || now < lookedAt) {
        lookedAt = now
        look()
      }
      return secretsOf(good)
    },
  }
}

function load(inputs: ConfigInputs): Loaded {
  const files = new Map<string, string>()
  const readFile: ConfigInputs['readFile'] = (file) => {
    // Before it is read: what changes meanwhile is then read again, and not taken for known.
    files.set(file, fileIdentity(file))
    return inputs.readFile(file)
  }
  try {
    return { files, config: loadConfig({ ...inputs, readFile }).config }
  } catch (error) {
    if (error instanceof HoldfastError) return { files, config: error }
    throw error
  }
}

/** The secrets of a configuration that may change. */
export function secretsOf({ forge, records: { s3 } }: Config): Secrets {
  const { accessKeyId, secretAccessKey, sessionToken } = s3
  return { ...forge, token: forge.token, s3: { accessKeyId, secretAccessKey, sessionToken } }
}

/** The credentials that are compared and hidden, without the other settings that stand next to them. */
function reloadedValues(config: Config): readonly unknown[] {
  const ofForge = settingList().filter(
    ({ path, secret, isReloaded }) => path.startsWith('forge.') && (secret === true || isReloaded === true),
  )
  return [...ofForge.map(({ path }) => valueAt(config, path.split('.'))), secretsOf(config).s3]
}

function hasChanged(files: ReadonlyMap<string, string>): boolean {
  return [...files].some(([file, identity]) => fileIdentity(file) !== identity)
}
