import type { Snapshot } from '../../snapshot/index.ts'
import type { Audit, AuditInput } from '../audit.ts'
import type { Contract, DeclaredLane } from '../contract/contract.ts'
import type { Judgement } from '../finding.ts'
import { joinSnapshot } from '../joins.ts'
import { withRemedy } from '../remedies.ts'
import { wholeScope } from '../scope.ts'

/** Judges a whole snapshot with one audit; its findings name their remedies. */
export function judged(audit: Audit, snapshot: Snapshot, given: Partial<AuditInput> = {}): Judgement {
  const joins = joinSnapshot(snapshot)
  const judgement = audit.judge({ snapshot, joins, contract: null, narrowed: wholeScope, ...given })
  return { ...judgement, findings: judgement.findings.map((finding) => withRemedy(finding, joins)) }
}

/** `class subject`, sorted: the shape in which most tests read findings. */
export function found({ findings }: Judgement): readonly string[] {
  return findings.map(({ class: name, subject }) => `${name} ${subject.name}`).sort()
}

/** A lane that declares nothing but its label. */
export function declaredLane(label = 'linux', given: Partial<DeclaredLane> = {}): DeclaredLane {
  return {
    label,
    scaleSets: [],
    minRunners: null,
    maxRunners: null,
    containers: [],
    nodes: [],
    volumes: [],
    afterOom: null,
    hasPriorityPolicy: false,
    credential: null,
    pullSecret: null,
    source: { file: 'lanes.tfvars', line: 7 },
    places: {},
    ...given,
  }
}

export function contractOf(given: Partial<Contract> = {}): Contract {
  return {
    version: 1,
    file: 'holdfast-contract.yaml',
    lanes: [],
    fixes: [],
    images: [],
    minimumRunnerVersion: null,
    nixCache: null,
    runnerHosts: [],
    platformProofs: [],
    ...given,
  }
}
