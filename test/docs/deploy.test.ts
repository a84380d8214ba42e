import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { configEnv, settingList } from '../../src/platform/config/index.ts'
import { createCliBench } from '../support/holdfast-cli.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
// biome-ignore lint/suspicious/noExplicitAny: manifests as they stand
type Json = any
const documentsOf = (file: string): Json[] =>
  parseAllDocuments(readFileSync(path.join(root, file), 'utf8')).map((document) => document.toJS())

describe('deploy/holdfast.yaml', () => {
  const objects = documentsOf('deploy/holdfast.yaml')
  const [pod] = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec)
  const [container] = pod.containers

  it.each(['Role', 'ClusterRole'])('gives the same rights in its %s as deploy/rbac.yaml', (kind) => {
    const rulesIn = (all: Json[]) => all.find((object) => object.kind === kind)?.rules
    expect(rulesIn(objects)).toEqual(rulesIn(documentsOf('deploy/rbac.yaml')))
  })

  it('sets only what is a setting', () => {
    const known = [configEnv, ...settingList().map(({ env }) => env)]
    const named = container.env
      .map(({ name }: Json) => name)
      .filter((name: string) => /^HOLDFAST_/.test(name))
    expect(named.filter((name: string) => !known.includes(name))).toEqual([])
    expect(named).not.toEqual([])
  })

  it('gives every secret that replicas share by reference, and none by value', () => {
    const secrets = settingList().filter(({ secret }) => secret === true)
    const given = container.env.filter(({ name }: Json) => secrets.some(({ env }) => env === name))
    expect(given.map(({ name }: Json) => name).toSorted()).toEqual([
      'HOLDFAST_DATABASE_URL',
      'HOLDFAST_HTTP_OPERATOR_TOKEN',
      'HOLDFAST_KEYS_RING',
    ])
    for (const { name, value, valueFrom } of given) {
      expect(value, name).toBeUndefined()
      expect(valueFrom.secretKeyRef.name, name).toBe('holdfast')
    }
  })

  it('gives a replica more time to end than it takes for itself', () => {
    const bound = settingList().find(({ path: setting }) => setting === 'shutdown.boundMs')
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(Number(bound?.schema.parse(undefined)))
  })

  it('keeps runners apart from Holdfast', () => {
    const env = Object.fromEntries(container.env.map(({ name, value }: Json) => [name, value]))
    const home = objects.find(({ kind }) => kind === 'Deployment').metadata.namespace
    expect(env.HOLDFAST_FLEET_NAMESPACE).not.toBe(home)
    expect(objects.find(({ kind }) => kind === 'Role').metadata.namespace).toBe(env.HOLDFAST_FLEET_NAMESPACE)
  })
})

const settingNames = [configEnv, ...settingList().map(({ env }) => env)]
const boundMs = Number(
  settingList()
    .find(({ path: setting }) => setting === 'shutdown.boundMs')
    ?.schema.parse(undefined),
)

describe('deploy/compose.yaml', () => {
  const text = readFileSync(path.join(root, 'deploy/compose.yaml'), 'utf8')
  const [compose] = documentsOf('deploy/compose.yaml')
  const { holdfast, postgres } = compose.services

  it('sets only what is a setting, also in what it suggests', () => {
    const named = [...text.matchAll(/\bHOLDFAST_[A-Z_]+[A-Z]/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((name) => !settingNames.includes(name))).toEqual([])
  })

  it('has no secret in it, and gives each by a file that is declared', () => {
    const declared = Object.keys(compose.secrets)
    for (const { secrets } of [holdfast, postgres])
      for (const name of secrets) expect(declared).toContain(name)
    expect(holdfast.environment.HOLDFAST_HTTP_OPERATOR_TOKEN).toBe('file:/run/secrets/operator-token')
    expect(postgres.environment).not.toHaveProperty('POSTGRES_PASSWORD')
  })

  it('builds from the Dockerfile that is there, and lets Holdfast end by itself', () => {
    expect(readFileSync(path.join(root, holdfast.build.dockerfile), 'utf8')).toContain('ENTRYPOINT')
    expect(Number.parseInt(holdfast.stop_grace_period, 10) * 1_000).toBeGreaterThan(boundMs)
  })
})

describe('deploy/remedy-cronjob.yaml', () => {
  const job = documentsOf('deploy/remedy-cronjob.yaml').find(({ kind }) => kind === 'CronJob')
  const { spec: pod } = job.spec.jobTemplate.spec.template
  const [container] = pod.containers

  it('runs the command with options that it has, every half hour, on runners older than an hour, one at a time', async () => {
    const cli = await createCliBench()
    try {
      const { out } = await cli.run(container.args[0], '--help')
      for (const option of container.args.filter((arg: string) => arg.startsWith('--')))
        expect(out).toContain(`${option} `)
    } finally {
      await cli.close()
    }
    expect([job.spec.schedule, job.spec.concurrencyPolicy]).toEqual(['*/30 * * * *', 'Forbid'])
    expect(container.args.join(' ')).toContain('--min-age-seconds 3600')
  })

  it('sets only what is a setting, secrets by reference, and has the account of deploy/remedy-rbac.yaml', () => {
    expect(container.env.filter(({ name }: Json) => !settingNames.includes(name))).toEqual([])
    const secrets = container.env.filter(({ name }: Json) => /TOKEN|SECRETS/.test(name))
    expect(secrets.map(({ value }: Json) => value)).toEqual([undefined, undefined])
    const [account] = documentsOf('deploy/remedy-rbac.yaml')
    expect([account.metadata.name, account.metadata.namespace]).toEqual([
      pod.serviceAccountName,
      job.metadata.namespace,
    ])
  })
})

describe('deploy/remedy-rbac.yaml', () => {
  it('gives no right to change an object of ARC but to delete a runner: no finalizer can be stripped', () => {
    const rules = documentsOf('deploy/remedy-rbac.yaml').flatMap(({ rules = [] }: Json) => rules)
    const ofArc = rules.filter(({ apiGroups }: Json) => apiGroups.includes('actions.github.com'))
    const changes = ofArc.flatMap(({ verbs, resources }: Json) =>
      verbs
        .filter((verb: string) => !['get', 'list'].includes(verb))
        .map((verb: string) => `${verb} ${resources}`),
    )
    expect(changes).toEqual(['delete ephemeralrunners'])
    expect(rules.flatMap(({ verbs }: Json) => verbs)).not.toContain('*')
  })
})

describe('deploy/systemd/holdfast.service', () => {
  const file = path.join(root, 'deploy/systemd/holdfast.service')
  const text = readFileSync(file, 'utf8')
  const valuesOf = (key: string) =>
    [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)

  it('sets only what is a setting, and lets runners have groups, users and their own end', () => {
    const named = valuesOf('Environment').flatMap((value) => /^(HOLDFAST_\w+)=/.exec(value ?? '')?.[1] ?? [])
    expect(named.filter((name) => !settingNames.includes(name))).toEqual([])
    expect(valuesOf('Delegate')).toEqual(['yes'])
    expect(valuesOf('KillMode')).toEqual(['process'])
    expect(valuesOf('OOMPolicy')).toEqual(['continue'])
    expect(valuesOf('ProtectControlGroups')).toEqual(['no'])
    expect(valuesOf('CapabilityBoundingSet')[0]).toMatch(/CAP_SETUID.*CAP_KILL/)
    expect(Number(valuesOf('TimeoutStopSec')[0]) * 1_000).toBeGreaterThan(boundMs)
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!hasSystemd) console.warn('NOT TRIED, what systemd says of the unit: systemd-analyze is not there')
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' })

  it.skipIf(!hasSystemd)('is understood by systemd, but for the program that stands elsewhere here', () => {
    const warnings = analyze('verify')
      .stderr.split('\n')
      .filter((line) => /holdfast\.service/.test(line))
    expect(warnings.filter((line) => !line.includes('is not executable'))).toEqual([])
  })

  it.skipIf(!hasSystemd)('leaves open only what Holdfast or its jobs need', () => {
    const judged = JSON.parse(analyze('security', '--offline=true', '--no-pager', '--json=short').stdout)
    const open = judged.filter(({ set }: Json) => set === false).map((each: Json) => each.json_field)
    expect(open.length).toBeGreaterThan(0)
    expect(
      open.filter((name: string) => !Object.keys(leftOpen).some((known) => name.startsWith(known))),
    ).toEqual([])
  })
})

/** Permissions that `systemd-analyze security` would take away, by the beginning of their names, and why they stay. */
const leftOpen = {
  UserOrDynamicUser: 'root makes other users of its runners, and a group for each',
  CapabilityBoundingSet_CAP_SET_UID_GID_PCAP: 'Postgres and each runner are users of their own',
  CapabilityBoundingSet_CAP_CHOWN: 'their folders become theirs',
  CapabilityBoundingSet_CAP_DAC: 'what they leave is read and removed',
  CapabilityBoundingSet_CAP_KILL: 'what they leave running is ended',
  CapabilityBoundingSet_CAP_SYS_PTRACE: 'the environment of processes shows whose runner they are',
  SystemCallFilter_privileged: 'the same system calls: users and owners of files',
  SystemCallFilter_resources: 'jobs set limits and priorities of their own',
  SystemCallFilter_debug: 'jobs debug and trace what they build',
  SystemCallFilter_mount: 'sandboxes that jobs start mount in namespaces of their own',
  RestrictNamespaces: 'sandboxes that jobs start make namespaces',
  ProtectControlGroups: 'each runner has a group of its own',
  Delegate: 'each runner has a group of its own',
  MemoryDenyWriteExecute: 'Node compiles while it runs',
  RestrictAddressFamilies: 'Holdfast serves and calls, Postgres has a socket, jobs ask for addresses',
  PrivateNetwork: 'Holdfast serves and calls, and jobs fetch',
  IPAddressDeny: 'what a job may reach is known to the operator alone',
  PrivateUsers: 'the users of runners are real ones',
  ProcSubset: 'the memory and the boot of the machine are read',
  DeviceAllow: 'ProtectClock allows reading the clock device',
  RootDirectoryOrRootImage: 'jobs use the programs of the machine',
  UMask: 'jobs inherit it; files of Holdfast with secrets have a mode of their own',
}
