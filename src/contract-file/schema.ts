import { z } from 'zod'
import { laneFields } from '../domain/audit/index.ts'
import { parseQuantity } from '../domain/quantity.ts'
import { imageDigest, imageTag } from '../domain/version.ts'
import { isHostAddress, isPlainName, isPlainPath } from '../domain/workdir/index.ts'

const textCharsMax = 253
const lanesMax = 500
const entriesMax = 100
const runnersMax = 100_000
const imagesMax = 1_000
const runnerHostsMax = 500
/** 2^32 - 1 stands for no account. */
const uidMax = 2 ** 32 - 2

const quantityExpected = 'an amount such as 500m, 2, 512Mi or 10Gi'
const versionExpected = "a version as text, such as '2.329.0'"

const text = z.string().min(1).max(textCharsMax)
const texts = z.array(text).max(entriesMax)
const count = z.int().min(0).max(runnersMax)

const quantity = z
  .union([z.string().max(32), z.number()], { error: quantityExpected })
  .transform((given) => parseQuantity(given))
  .refine((amount) => amount !== null && amount >= 0, quantityExpected)
  .transform((amount) => amount as number)
const amounts = z.record(text, quantity).default({})

const placeExpected = "a file and a line, such as 'tofu/lanes.tfvars:42'"
const place = z
  .string({ error: placeExpected })
  .max(textCharsMax, placeExpected)
  .regex(/^[^:]+:[1-9]\d{0,8}$/, placeExpected)
  .transform((given) => {
    const colon = given.lastIndexOf(':')
    return { file: given.slice(0, colon), line: Number(given.slice(colon + 1)) }
  })

/** Where each part of a lane is declared; `lane` is for all that has no place of its own. */
const places = z.strictObject({
  lane: place.optional(),
  ...Object.fromEntries(laneFields.map((field) => [field, place.optional()])),
} as { lane: z.ZodOptional<typeof place> } & Record<(typeof laneFields)[number], z.ZodOptional<typeof place>>)

const lane = z.strictObject({
  label: text,
  scaleSets: texts.default([]),
  minRunners: count.nullable().default(null),
  maxRunners: count.nullable().default(null),
  containers: z
    .record(
      text,
      z.strictObject({ image: text.nullable().default(null), requests: amounts, limits: amounts }),
    )
    .default({}),
  nodes: texts.default([]),
  volumes: z
    .array(z.strictObject({ mountPath: text, storageClass: text.nullable().default(null) }))
    .max(entriesMax)
    .default([]),
  afterOom: text.nullable().default(null),
  priorityPolicy: z.boolean().default(false),
  credential: text.nullable().default(null),
  pullSecret: text.nullable().default(null),
  declaredIn: places.default({}),
})

const timeExpected = "a time as text, such as '2026-05-12T09:00:00Z'"
const time = z
  .string({ error: timeExpected })
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d))?$/, timeExpected)
  .transform((given) => Date.parse(given))
  .refine((at) => !Number.isNaN(at), timeExpected)

const imageExpected = 'an image with its tag or digest, such as ghcr.io/acme/operator:main'

/** The labels of an image as its registry has them; all others are passed over. */
const image = z
  .strictObject({
    image: text.refine(isExactImage, imageExpected),
    labels: z.looseObject({
      'org.opencontainers.image.version': z.string({ error: versionExpected }).max(textCharsMax).optional(),
      'org.opencontainers.image.revision': z
        .string({ error: "a commit id as text, such as 'af8204b1'" })
        .max(textCharsMax)
        .optional(),
      'org.opencontainers.image.created': time.optional(),
    }),
  })
  .transform(({ image, labels }) => ({
    image,
    version: labels['org.opencontainers.image.version'] ?? null,
    revision: labels['org.opencontainers.image.revision'] ?? null,
    builtAt: labels['org.opencontainers.image.created'] ?? null,
  }))

const fix = z.strictObject({
  name: text,
  symptom: text,
  image: text,
  fixedIn: z.string({ error: versionExpected }).min(1).max(textCharsMax),
  fixedAt: time.nullable().default(null),
  without: z
    .array(z.string({ error: "a tag as text, such as 'af8204b1'" }))
    .max(entriesMax)
    .default([]),
})

const nameExpected = 'a name of letters, digits and . _ @ + -'
const plainName = z.string({ error: nameExpected }).refine(isPlainName, nameExpected)
const pathExpected = 'an absolute path of letters, digits and . _ @ + -, such as /srv/runner-1'
const plainPath = z.string({ error: pathExpected }).refine(isPlainPath, pathExpected)
const addressExpected = 'a host name or an IP address'

/** Names and paths go to other machines: the form leaves no character that means something to a shell or to ssh. */
const runnerHost = z.strictObject({
  name: plainName,
  root: plainPath,
  workFolder: plainName.default('_work'),
  ownerUid: z.int().min(0).max(uidMax).nullable().default(null),
  service: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('systemd'), unit: plainName }),
      z.strictObject({ kind: z.literal('svc.sh') }),
    ])
    .nullable()
    .default(null),
  ssh: z
    .strictObject({
      address: z.string({ error: addressExpected }).refine(isHostAddress, addressExpected),
      port: z.int().min(1).max(65_535).default(22),
      user: plainName,
      knownHosts: plainPath,
      identityFile: plainPath.nullable().default(null),
    })
    .nullable()
    .default(null),
})

const repositoryExpected = 'owner/name, such as acme/platform'
const platformProof = z.strictObject({
  repository: z
    .string({ error: repositoryExpected })
    .regex(/^[\w.-]+\/[\w.-]+$/, repositoryExpected)
    .max(textCharsMax, repositoryExpected),
  job: text,
})

/** The form of a contract file. */
export const contractSchema = z.strictObject({
  version: z.literal(1, { error: '1' }),
  minimumRunnerVersion: z.string({ error: versionExpected }).nullable().default(null),
  lanes: z.array(lane).max(lanesMax).default([]),
  fixes: z.array(fix).max(entriesMax).default([]),
  images: z.array(image).max(imagesMax).default([]),
  nixCache: z.strictObject({ server: text, cache: text, lanes: texts }).nullable().default(null),
  runnerHosts: z.array(runnerHost).max(runnerHostsMax).default([]),
  platformProofs: z.array(platformProof).max(entriesMax).default([]),
})

export type ContractTree = z.output<typeof contractSchema>
export type LaneTree = ContractTree['lanes'][number]

function isExactImage(image: string): boolean {
  return imageTag(image) !== null || imageDigest(image) !== null
}
