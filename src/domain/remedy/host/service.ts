import { approvals, rechecksAround } from '../common-gates.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { Remedy } from '../remedy.ts'
import type { HostFacts, HostLook, PlannedHost } from './facts.ts'
import { drained, listening, noWorker } from './gates.ts'
import { plannedHost } from './planned.ts'

const minuteMs = 60_000

interface ServiceFacts extends HostLook {
  readonly planned: PlannedHost
}

const sameHost: Gate<ServiceFacts> = {
  name: 'same-host',
  why: 'Another folder at the same path, or another Listener, was never approved.',
  judge(facts) {
    const { uid, resourceVersion } = facts.planned
    const found = plannedHost(facts, '')
    if (found === null) return fail(`the work folder is ${facts.facts.folder.kind}`)
    return {
      passed: found.uid === uid && found.resourceVersion === resourceVersion,
      proof: `root ${found.uid}, ${found.resourceVersion}; planned ${uid}, ${resourceVersion}`,
    }
  },
}

const withoutSymlink: Gate<HostLook> = {
  name: 'no-symlink',
  why: 'A path that leads over symlinks leads elsewhere tomorrow.',
  judge: ({ facts: { folder }, judgement: { host } }) =>
    folder.kind === 'folder' && folder.root.path === host.root
      ? pass(`${host.root} has no symlink on its way`)
      : fail(
          folder.kind === 'folder'
            ? `${host.root} leads to ${folder.root.path}`
            : `the work folder is ${folder.kind}`,
        ),
}

const declared: Gate<HostLook> = {
  name: 'service-declared',
  why: 'How a service is controlled is declared, and never guessed.',
  judge: ({ judgement: { host } }) =>
    host.service === null
      ? fail('the contract file has no service for it')
      : pass(host.service.kind === 'systemd' ? `systemd unit ${host.service.unit}` : 'svc.sh in its root'),
}

const clean: Gate<HostLook> = {
  name: 'clean',
  why: 'A runner with a contaminated folder fails the next job of that repository.',
  judge: ({ judgement: { verdict, folders } }) => {
    const blocked = folders.flatMap((each) => (each.verdict === 'contaminated' ? each.name : []))
    return {
      passed: ['healthy', 'drift', 'stale-lock'].includes(verdict),
      proof: `its work folder is ${verdict}${blocked.length === 0 ? '' : ` (${blocked.join(', ')})`}`,
    }
  },
}

const bounds = {
  objectsPerRunMax: 1,
  objectsPerHourMax: 30,
  planAgeMaxMs: 15 * minuteMs,
  /** One look takes up to 100 s, and the host looks at its processes again by itself. */
  factAgeMaxMs: 3 * minuteMs,
  verifyMaxMs: minuteMs,
  proveMaxMs: minuteMs,
}

/** Stops the service of a runner while it is idle, so that it takes no new job. */
export const drainRechecks: readonly Gate<ServiceFacts>[] = [sameHost, declared, withoutSymlink, noWorker]
export const hostDrain: Remedy<HostFacts> = {
  name: 'host-drain',
  bounds,
  approvals,
  rechecks: rechecksAround<HostFacts>(drainRechecks),
  verifications: [drained, noWorker],
  proofs: [drained],
}

/** Starts the service of a runner whose work folder is in order. */
export const startRechecks: readonly Gate<ServiceFacts>[] = [
  sameHost,
  declared,
  withoutSymlink,
  drained,
  noWorker,
  clean,
]
export const hostStart: Remedy<HostFacts> = {
  name: 'host-start',
  bounds,
  approvals,
  rechecks: rechecksAround<HostFacts>(startRechecks),
  verifications: [listening],
  proofs: [listening],
}
