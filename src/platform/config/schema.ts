import { z } from 'zod'
import { groupless } from '../../api/pool/index.ts'
import { secret, setting } from '../../api/schema/index.ts'
import { fleetSchema } from './fleet.ts'
import { forgeSchema, hasRunnerGroups, missingForPods } from './forge/schema.ts'
import { gitlabSchema } from './gitlab.ts'
import { poolSchema } from './pool.ts'
import { recordsSchema, redactionSchema } from './records.ts'
import { remediesSchema } from './remedies.ts'
import { runnersSchema } from './runners.ts'

const poolsMax = 100
const keyBytes = 32
/** Too long to be guessed at the pace of requests. */
const operatorToken = /^[\x21-\x7e]{16,512}$/
const dayMs = 24 * 60 * 60 * 1000

const text = z.string().min(1)
const port = z.int().min(0).max(65_535)
const durationMs = z.int().min(1).max(dayMs)

const databaseTls = z
  .strictObject({
    mode: setting(
      '`disable`: plain. `prefer`: TLS if the server offers it. `require`: TLS or nothing, any certificate. `verify-full`: TLS with a certificate that is trusted and names the host.',
      z.enum(['disable', 'prefer', 'require', 'verify-full']).default('prefer'),
    ),
    caFile: setting(
      'Certificate authorities to trust, PEM; without it those of the system.',
      text.optional(),
    ),
    certFile: setting('Certificate of this client, PEM.', text.optional()),
    keyFile: setting('Private key of this client, PEM.', text.optional()),
  })
  .refine((tls) => tls.caFile === undefined || tls.mode === 'verify-full', {
    path: ['caFile'],
    error: 'databaseTls.mode verify-full, the only mode that checks the server against it',
  })
  .refine((tls) => (tls.certFile === undefined) === (tls.keyFile === undefined), {
    path: ['keyFile'],
    error: 'certFile and keyFile together, or neither',
  })

const http = z.strictObject({
  host: setting('Address to listen on.', text.default('127.0.0.1')),
  port: setting('Port of the API, webhooks and status page; 0 takes a free one.', port.default(8480)),
  publicUrl: setting(
    'Address under which the forge and people reach Holdfast, where it is not the one that it listens on.',
    z
      .url({ protocol: /^https?$/, error: 'an http or https URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  ),
  operatorToken: secret(
    'What an operator shows to change something, or to read from another machine. Servers behind one address share one.',
    z
      .string()
      .regex(operatorToken, 'at least 16 characters that a header may hold, without spaces')
      .optional(),
    { defaultText: 'made once and kept in the data folder, as `operator-token`' },
  ),
})

const log = z.strictObject({
  level: setting('Least level that is written.', z.enum(['debug', 'info', 'warn', 'error']).default('info')),
  format: setting(
    '`auto` is pretty on a terminal and JSON otherwise.',
    z.enum(['auto', 'pretty', 'json']).default('auto'),
  ),
})

const pools = z
  .array(poolSchema)
  .min(1)
  .max(poolsMax)
  .refine((list) => new Set(list.map((pool) => pool.name)).size === list.length, 'pools with different names')
  .prefault([{ name: 'local', labels: ['self-hosted', 'linux', 'local'], limits: { memoryMiB: 512 } }])

const dispatch = z.strictObject({
  pollMs: setting(
    "How long a runner's request for a job is held open; proxies on its way must wait longer, and most wait 60 s.",
    durationMs.default(55_000),
  ),
  mintDeadlineMs: setting(
    'A claimed job without a runner configuration by then is requeued.',
    durationMs.default(60_000),
  ),
  registerDeadlineMs: setting(
    'A runner that has its configuration registers by then.',
    durationMs.default(120_000),
  ),
  startDeadlineMs: setting('A registered runner starts its job by then.', durationMs.default(300_000)),
  mintFailuresMax: setting(
    'After so many failures to mint, a job is quarantined with the reason.',
    z.int().min(1).max(100).default(5),
  ),
})

const recovery = z.strictObject({
  tickMs: setting('Pause between two passes over what is past a deadline.', durationMs.default(5_000)),
  redeliverEveryMs: setting(
    "Pause between two looks at the forge's list of webhooks that it could not deliver.",
    durationMs.default(120_000),
  ),
  staleQueuedAfterMs: setting(
    'A job queued this long is checked against the forge.',
    durationMs.default(600_000),
  ),
  hostLostAfterMs: setting(
    'A host of runners (a machine, a cluster) without a heartbeat for so long is lost: its runners are given up, unless the forge sees them online.',
    durationMs.default(900_000),
  ),
  auditEveryMs: setting(
    "Pause between two comparisons with the forge's own list of jobs; three times as long below half of the forge's budget, and none below a tenth.",
    durationMs.default(300_000),
  ),
  boundsFactor: setting(
    'Widens or narrows all bounds per hour on runners that recovery stops, fences or gives up; 0: it does none of that.',
    z.number().min(0).max(100).default(1),
  ),
  strayGraceMs: setting(
    'A pod of ours that the ledger does not count on, and whose program has not started, is left for so long.',
    durationMs.default(300_000),
  ),
})

const agent = z.strictObject({
  serviceAccount: setting(
    'Service account of the agents of nodes, as a name in the namespace of the pools or as namespace/name: a client with its token may push samples of pods.',
    z
      .string()
      .regex(/^([a-z0-9-]{1,63}\/)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'a name, or namespace/name')
      .default('holdfast-agent'),
  ),
})

const retention = z.strictObject({
  archiveAfterMinutes: setting(
    'Finished jobs leave the tables that dispatch reads.',
    z.int().min(1).default(60),
  ),
  historyDays: setting('Finished jobs are kept; nothing open is ever removed.', z.int().min(1).default(90)),
})

const key = z.string().refine(isKey, `base64 of exactly ${keyBytes} bytes`)

const keys = z
  .strictObject({
    current: setting('Which key of the ring encrypts; the others only decrypt.', text.optional()),
    ring: secret(
      'Keys by name, each base64 of 32 bytes. Without any, one is made in the data folder.',
      z.record(text.max(64), key).default({}),
    ),
  })
  .refine(
    ({ current, ring }) =>
      current === undefined ? Object.keys(ring).length === 0 : Object.hasOwn(ring, current),
    {
      path: ['current'],
      error: 'the name of a key in keys.ring',
    },
  )

const shutdown = z
  .strictObject({
    drainMs: setting('Requests under way may end for this long.', durationMs.default(10_000)),
    boundMs: setting(
      'All of the shutdown together; what still runs then is left behind.',
      durationMs.default(25_000),
    ),
  })
  .refine((value) => value.drainMs <= value.boundMs, { path: ['drainMs'], error: 'at most shutdown.boundMs' })

/** Its default needs a home, which a service may not have. */
const folder = z.string('a folder: set HOLDFAST_DATA_DIR, since no home folder is known here').min(1)

/** Every setting of Holdfast; docs/reference/config.md is generated from it. */
export const configSchema = z
  .strictObject({
    dataDir: setting('Folder for everything that Holdfast keeps on this machine.', folder, {
      defaultText: '/var/lib/holdfast for root, else $XDG_DATA_HOME/holdfast, else ~/.local/share/holdfast',
    }),
    databaseUrl: secret(
      'Postgres 15 or later; without it an embedded server in the data folder.',
      z
        .string()
        .regex(/^postgres(ql)?:\/\/\S+$/, 'a URL that begins with postgres:// or postgresql://')
        .optional(),
      { envAlias: 'DATABASE_URL' },
    ),
    databaseMigrateUrl: secret(
      'The same database as the role that owns its tables: migrates them, and gives the role of `databaseUrl` no more than the program needs. Without it one role does both, and could lift the locks.',
      z
        .string()
        .regex(/^postgres(ql)?:\/\/\S+$/, 'a URL that begins with postgres:// or postgresql://')
        .optional(),
    ),
    databaseWaitMs: setting(
      'How long a start waits for the server of `databaseUrl` to answer.',
      durationMs.default(30_000),
    ),
    databaseTls: databaseTls.prefault({}),
    http: http.prefault({}),
    log: log.prefault({}),
    forge: forgeSchema.prefault({}),
    fleet: fleetSchema.prefault({}),
    pools: setting('The pools of runners; see below.', pools, {
      defaultText: 'one pool `local` for the labels self-hosted, linux and local, with 512 MiB a runner',
    }),
    runners: runnersSchema.prefault({}),
    dispatch: dispatch.prefault({}),
    recovery: recovery.prefault({}),
    agent: agent.prefault({}),
    retention: retention.prefault({}),
    redaction: redactionSchema.prefault({}),
    records: recordsSchema.prefault({}),
    remedies: remediesSchema.prefault({}),
    gitlab: gitlabSchema.prefault({}),
    keys: keys.prefault({}),
    shutdown: shutdown.prefault({}),
  })
  .refine(
    ({ fleet, http: { publicUrl } }) =>
      fleet.kind === 'local' || (fleet.serverUrl ?? publicUrl) !== undefined,
    {
      path: ['fleet', 'serverUrl'],
      error:
        'the address under which pods reach Holdfast (or http.publicUrl), because fleet.kind is kubernetes',
    },
  )
  .refine(({ fleet, remedies: { reap } }) => fleet.kind === 'kubernetes' || reap.mode === 'off', {
    path: ['remedies', 'reap', 'mode'],
    error:
      '`off`, because fleet.kind is not kubernetes: the leader of a cluster reaps; else see holdfast reap',
  })
  .superRefine(({ fleet, forge }, context) => {
    if (fleet.kind === 'local') return
    for (const { path, expected } of missingForPods(forge))
      context.addIssue({ code: 'custom', path: ['forge', ...path], message: expected })
  })
  .refine(
    ({ databaseUrl, databaseMigrateUrl }) => databaseMigrateUrl === undefined || databaseUrl !== undefined,
    {
      path: ['databaseMigrateUrl'],
      error: 'left out, because databaseUrl is: the embedded server has its own',
    },
  )
  .superRefine(({ forge, pools: given }, context) => {
    if (hasRunnerGroups(forge)) return
    for (const [index, { runnerGroup }] of given.entries()) {
      if (runnerGroup === undefined) continue
      context.addIssue({ code: 'custom', path: ['pools', index, 'runnerGroup'], message: groupless })
    }
  })

export type Config = z.output<typeof configSchema>

function isKey(value: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(value) && Buffer.from(value, 'base64').length === keyBytes
}
