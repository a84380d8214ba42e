import { stringify } from 'yaml'
import type { Contract, DeclaredContainer, DeclaredLane, LabelledImage } from '../domain/audit/index.ts'
import { quantityText } from '../domain/quantity.ts'
import type { Amounts } from '../domain/snapshot/index.ts'
import type { Instant } from '../domain/time.ts'

const head = `# The contract of this installation: what it declares about itself, kept with its source.
# Every field is described in docs/contract-file.md. Fields that are left out are not compared.
# Worth adding by hand: declaredIn (file and line of the source), afterOom, priorityPolicy, fixes.
`

/** A contract as a file: the same contract is read from it, but for places in the file itself. */
export function writeContract({
  lanes,
  fixes,
  images,
  minimumRunnerVersion,
  nixCache,
  runnerHosts,
  platformProofs,
}: Contract): string {
  const tree = withoutEmpty({
    version: 1,
    minimumRunnerVersion,
    lanes: lanes.map(laneTree),
    fixes: fixes.map((fix) => withoutEmpty({ ...fix, fixedAt: timeText(fix.fixedAt) })),
    images: images.map(imageTree),
    nixCache,
    runnerHosts: runnerHosts.map((host) =>
      withoutEmpty({ ...host, ssh: host.ssh && withoutEmpty({ ...host.ssh }) }),
    ),
    platformProofs,
  })
  return head + stringify(tree, { lineWidth: 0 })
}

function laneTree(lane: DeclaredLane): Record<string, unknown> {
  const { hasPriorityPolicy, containers, source: _source, places: _places, ...rest } = lane
  return withoutEmpty({
    ...rest,
    containers: Object.fromEntries(containers.map((container) => [container.name, containerTree(container)])),
    volumes: rest.volumes.map((volume) => withoutEmpty({ ...volume })),
    priorityPolicy: hasPriorityPolicy || null,
  })
}

function containerTree({ image, requests, limits }: DeclaredContainer): Record<string, unknown> {
  return withoutEmpty({ image, requests: amountTexts(requests), limits: amountTexts(limits) })
}

function amountTexts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).map(([resource, amount]) => [resource, quantityText(resource, amount)]),
  )
}

function imageTree({ image, version, revision, builtAt }: LabelledImage): Record<string, unknown> {
  const labels = { version, revision, created: timeText(builtAt) }
  const named = Object.entries(labels).map(([name, value]) => [`org.opencontainers.image.${name}`, value])
  return { image, labels: withoutEmpty(Object.fromEntries(named)) }
}

function timeText(at: Instant | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function withoutEmpty(tree: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).filter(
      ([, value]) => value !== null && (typeof value !== 'object' || Object.keys(value).length > 0),
    ),
  )
}
