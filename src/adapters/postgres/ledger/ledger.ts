import type { Ledger } from '../../../ports/ledger.ts'
import { sql } from '../connection/index.ts'
import { archive } from './archive/archive.ts'
import { purge } from './archive/purge.ts'
import { listSetAside } from './archive/set-aside.ts'
import { createAcknowledging } from './attempt/acknowledge.ts'
import { createClaiming } from './attempt/claim.ts'
import { createDelivering } from './attempt/deliver.ts'
import { endAttempt } from './attempt/end.ts'
import { mintFailed } from './attempt/mint-failed.ts'
import { createMinting } from './attempt/minted.ts'
import { createReadingOpen } from './attempt/open.ts'
import { notePastDeadline } from './attempt/past-deadline.ts'
import { registered } from './attempt/registered.ts'
import { resealJits } from './attempt/reseal-jits.ts'
import { unusedRegistrations } from './attempt/unused.ts'
import { noteBudget } from './budget/note.ts'
import { readBudget } from './budget/read.ts'
import { noteTime } from './clock/note-time.ts'
import type { LedgerContext } from './context.ts'
import { moveCursor, moveCursors } from './cursor/move.ts'
import { movePosition, readPosition } from './cursor/position.ts'
import { readCursor, readCursors } from './cursor/read.ts'
import { takeTurn } from './cursor/take-turn.ts'
import { listDecisions } from './decision/list.ts'
import { recordOutcome } from './decision/outcome.ts'
import { recordDecision } from './decision/record.ts'
import { recordBounded, releaseAct } from './decision/record-bounded.ts'
import { knownDeliveries } from './delivery/known.ts'
import { listDeliveries } from './delivery/list.ts'
import { pendingDeliveries } from './delivery/pending.ts'
import { replayDelivery } from './delivery/replay.ts'
import { settleDelivery } from './delivery/settle.ts'
import { createStoring } from './delivery/store.ts'
import { heartbeat } from './host/heartbeat.ts'
import { endLostHosts, listHosts } from './host/list.ts'
import { dropHostSamples } from './host-samples/drop.ts'
import { nodeSamples } from './host-samples/node-samples.ts'
import { putHostSamples } from './host-samples/put.ts'
import { readHostSamples } from './host-samples/read.ts'
import { liftIncident } from './incident/lift.ts'
import { createIncidentList } from './incident/list.ts'
import { raiseIncident } from './incident/raise.ts'
import { listInstallations, openJobIds } from './installation/list.ts'
import { retireJob, retireRest } from './installation/retire.ts'
import { closeJob } from './job/close.ts'
import { countJobs } from './job/count.ts'
import { jobFile } from './job/file.ts'
import { findJob } from './job/find.ts'
import { listJobs } from './job/list.ts'
import { release } from './job/release.ts'
import { requeueJob } from './job/requeue.ts'
import { createApplyJobEvent } from './job-event/index.ts'
import { listPools } from './pool/list.ts'
import { putPools } from './pool/put.ts'
import { counts } from './queue/counts.ts'
import { queueFacts } from './queue/facts.ts'
import { due } from './recovery/due.ts'
import { postpone } from './recovery/postpone.ts'
import { subject } from './recovery/subject.ts'
import { settledRuns } from './run/settled.ts'
import { runnersAlive } from './runner/alive.ts'
import { createBinding } from './runner/bind-identity.ts'
import { createPodBinding } from './runner/bind-pod.ts'
import { corrections } from './runner/corrections.ts'
import { deathsAfter } from './runner/deaths-after.ts'
import { endCounts, ends } from './runner/ends.ts'
import { enrol, enrolAll } from './runner/enrol.ts'
import { failedStarts } from './runner/failed-starts.ts'
import { createFencing } from './runner/fence.ts'
import { runnerFile } from './runner/file.ts'
import { createFinding } from './runner/find.ts'
import { jobAtEnd } from './runner/job-at-end.ts'
import { listRunners } from './runner/list.ts'
import { runnerOfPod } from './runner/of-pod.ts'
import { createPolling } from './runner/polled.ts'
import { createSealing } from './runner/seal-death.ts'
import { waiting } from './runner/waiting.ts'
import type { Wakes } from './wake.ts'

/** The port's methods, each with the statement behind it. */
export function createLedger(ledger: LedgerContext, wakes: Wakes): Ledger {
  const { database } = ledger
  const claim = createClaiming(database, ledger.serves)
  return {
    async now() {
      const { rows } = await database.query<{ now: number }>(sql`select now()`)
      return rows[0]?.now as number
    },

    async putPools(pools, cause, leader = null) {
      const result = await putPools(database, pools, cause, leader, !ledger.pools.arePut)
      if (result === 'put') Object.assign(ledger.pools, { all: pools, arePut: true })
      return result
    },
    noteTime: () => noteTime(database),
    pools: () => listPools(database),
    counts: () => counts(database, ledger.serves),

    storeDelivery: createStoring(ledger),
    pendingDeliveries: (limit) => pendingDeliveries(database, limit, ledger.serves),
    settleDelivery: (guid, outcome) => settleDelivery(database, guid, outcome),
    deliveries: (filter) => listDeliveries(database, filter),
    knownDeliveries: (guids) => knownDeliveries(database, guids),
    replayDelivery: (guid) => replayDelivery(database, guid),

    cursor: (name) => readCursor(database, name),
    moveCursor: (name, to) => moveCursor(database, name, to),
    takeTurn: (name, costMs, aheadMsMax) => takeTurn(database, name, costMs, aheadMsMax),
    cursors: (prefix) => readCursors(database, prefix),
    moveCursors: (names, to) => moveCursors(database, names, to),
    position: (name) => readPosition(database, name),
    movePosition: (name, to) => movePosition(database, name, to),

    raiseIncident: (incident, holdMs) => raiseIncident(ledger, incident, holdMs),
    liftIncident: (incident) => liftIncident(database, incident),
    incidents: createIncidentList(database, ledger.log),
    noteBudget: (account, reading) => noteBudget(database, account, reading),
    budget: (account) => readBudget(database, account),
    settledRuns: (installation, since) => settledRuns(database, installation, since),
    unusedRegistrations: (installation, since) => unusedRegistrations(database, installation, since),

    applyJobEvent: createApplyJobEvent(ledger),

    enrol: (runner, cause) => enrol(database, runner, cause),
    enrolAll: (runners, cause, leader) => enrolAll(database, runners, cause, leader),
    findRunner: createFinding(database),
    bindPod: createPodBinding(database),
    bindIdentity: createBinding(database),
    heartbeat: (host) => heartbeat(database, host),
    hosts: () => listHosts(database, ledger.hostLostAfterMs),
    endLostHosts: () => endLostHosts(database, ledger.hostLostAfterMs),
    failedStarts: (host, withinMs) => failedStarts(database, host, withinMs),
    polled: createPolling(database),
    waiting: (runnerIds) => waiting(database, runnerIds),

    openAttempt: createReadingOpen(database),
    claim,
    minted: createMinting(database),
    mintFailed: (handle, failure) => mintFailed(database, handle, failure),
    deliver: createDelivering(database),
    acknowledge: createAcknowledging(database),
    registered: (handle, startDeadlineMs, cause) => registered(database, handle, startDeadlineMs, cause),

    notePastDeadline: (handle, note, cause) => notePastDeadline(database, handle, note, cause),
    endAttempt: (handle, end, cause) => endAttempt(database, handle, end, cause),
    closeJob: (jobId, conclusion, cause) => closeJob(database, jobId, conclusion, cause),
    requeueJob: (jobId, cause) => requeueJob(database, jobId, cause),
    release: (jobId, cause) => release(database, jobId, cause),
    installations: () => listInstallations(database),
    openJobIds: (installation, limit) => openJobIds(database, installation, limit),
    retireJob: (jobId, cause) => retireJob(database, jobId, cause),
    retireRest: (installation) => retireRest(database, installation),
    fence: createFencing(database),
    jobAtEnd: (runnerId) => jobAtEnd(database, runnerId),
    sealDeath: createSealing(database),

    deathsAfter: (evidenceId, limit) => deathsAfter(database, evidenceId, limit),
    ends: (filter) => ends(database, filter),
    endCounts: (filter) => endCounts(database, filter),
    corrections: (runnerIds) => corrections(database, runnerIds),
    runnersAlive: (limit) => runnersAlive(database, limit),

    due: (limit, host) => due(database, limit, host, ledger),
    subject: (of) => subject(database, of, ledger),
    postpone: (of, delayMs) => postpone(database, of, delayMs),
    recordDecision: (decision) => recordDecision(database, decision),
    recordBounded: (decision, act, bounds) => recordBounded(database, decision, act, bounds),
    releaseAct: (decisionId) => releaseAct(database, decisionId),
    recordOutcome: (decisionId, outcome) => recordOutcome(database, decisionId, outcome),
    decisions: (filter) => listDecisions(database, filter),

    jobFile: (jobId) => jobFile(database, jobId),
    runnerFile: (name) => runnerFile(database, name),
    runnerOfPod: (podUid) => runnerOfPod(database, podUid),
    findJob: (installation, forgeJobId) => findJob(database, installation, forgeJobId),
    jobs: (filter) => listJobs(database, filter),
    countJobs: (conditions, max) => countJobs(database, conditions, max),
    runners: (endedLimit, filter) => listRunners(database, endedLimit, filter),
    queueFacts: (jobId) => queueFacts(database, jobId, ledger.serves),

    resealJits: (reseal, limit) => resealJits(database, reseal, limit),
    archive: (olderThanMs, limit) => archive(database, olderThanMs, limit),
    setAside: () => listSetAside(database),
    purge: (olderThanMs, limit) => purge(database, olderThanMs, limit),

    putHostSamples: (samples) => putHostSamples(database, samples),
    hostSamples: (of) => readHostSamples(database, of),
    dropHostSamples: (bounds) => dropHostSamples(database, bounds),
    nodeSamples: (within) => nodeSamples(database, within),

    onWake: wakes.onWake,
  }
}
