import type { ServiceFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding, Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { isAbsenceKnown, type Judged, unjudgedAbsence, unjudgedBy } from '../judging.ts'
import { serviceUnreachable, staleEndpoint } from './classes.ts'
import { endpointOf, hostOf } from './endpoint.ts'
import { laneFinding } from './environment.ts'
import { type NixLane, originText, serverName, variable } from './lane.ts'

const nothing: Judged = { findings: [], unjudged: [] }

/** The address that a lane's runners ask: the declared one, and one behind which something answers. */
export function judgeService(
  lane: NixLane,
  input: AuditInput,
  serviceByKey: ReadonlyMap<string, ServiceFact>,
): Judged {
  const server = variable(lane, serverName)
  if (server === undefined || server === '') return nothing
  if (server === null) return { ...nothing, unjudged: hiddenValue(lane) }
  const declared = lane.declared?.server
  if (declared !== undefined && hostOf(declared) !== hostOf(server))
    return { ...nothing, findings: [stale(lane, input, server, `the contract declares ${declared}`)] }
  return judgeEndpoint(lane, input, server, serviceByKey)
}

function judgeEndpoint(
  lane: NixLane,
  input: AuditInput,
  server: string,
  serviceByKey: ReadonlyMap<string, ServiceFact>,
): Judged {
  const { services } = input.snapshot.cluster
  const { service: ref, isCertain } = endpointOf(server, lane.set.namespace)
  if (ref === null) return nothing
  const service = serviceByKey.get(keyOf(ref))
  if (service === undefined) {
    if (!isAbsenceKnown(services, input.snapshot, ref.namespace))
      return {
        ...nothing,
        unjudged: unjudgedAbsence([serviceUnreachable, staleEndpoint], services, ref.namespace),
      }
    return isCertain
      ? { ...nothing, findings: [stale(lane, input, server, `there is no Service ${keyOf(ref)}`)] }
      : nothing
  }
  if (service.readyAddresses === null) return { ...nothing, unjudged: unreadEndpoints(ref, input) }
  if (service.readyAddresses > 0) return nothing
  const finding = laneFinding(serviceUnreachable, lane, input, {
    confidence: 'proven',
    summary: `Runners of ${keyOf(lane.set)} ask ${server}, and no address behind Service ${keyOf(ref)} is ready.`,
    evidence: [`${serverName} is ${server}`, `Service ${keyOf(ref)}: 0 ready addresses`],
    action: `Read why the pods behind Service ${keyOf(ref)} are not ready, and put it right in their source.`,
  })
  return { ...nothing, findings: [finding] }
}

function stale(lane: NixLane, input: AuditInput, server: string, because: string): Finding {
  return laneFinding(staleEndpoint, lane, input, {
    confidence: 'proven',
    summary: `Runners of ${keyOf(lane.set)} ask ${server} for the Nix cache; ${because}.`,
    evidence: [`${serverName} is ${server}`, because],
    action: `Set ${serverName} to the cache's address in the lane's source, and apply it.`,
  })
}

function unreadEndpoints(ref: Parameters<typeof keyOf>[0], { snapshot }: AuditInput): readonly Unjudged[] {
  const why = `the endpoints of Service ${keyOf(ref)} were not read`
  const unread = unjudgedBy([serviceUnreachable], snapshot.cluster.services)
  return unread.length > 0 ? unread : [{ class: serviceUnreachable.name, why, needs: 'list endpointslices' }]
}

/** The value stands in a ConfigMap or a Secret, which are not read. */
function hiddenValue(lane: NixLane): readonly Unjudged[] {
  const why = `${serverName} of ${keyOf(lane.set)} comes from ${originText(lane, serverName)}, whose values are not read`
  return [serviceUnreachable, staleEndpoint].map(({ name }) => ({ class: name, why, needs: null }))
}
