import { z } from 'zod'
import { secret, setting } from '../../api/schema/index.ts'
import { patternCharsMax, patternProblems, patternsMax } from '../../domain/redact/index.ts'

const text = z.string().min(1)
const keepDaysMax = 36_500

/** Patterns that are hidden in logs and death records, in addition to the built-in ones. */
export const redactionSchema = z.strictObject({
  patterns: setting(
    `Regular expressions of what else is a secret, at most ${patternsMax}: characters, classes, groups, \`|\`, counts, \`^\`, \`$\`, \`\\b\`, and \`(?i)\` at the begin. No look-around and no back-references: every pattern is matched in linear time. All that any match covers is hidden.`,
    z
      .array(z.string().max(patternCharsMax))
      .superRefine((patterns, context) => {
        for (const { index, problem } of patternProblems(patterns)) {
          const message = `a regular expression that can be matched in bounded time; this has ${problem}`
          context.addIssue({ code: 'custom', path: [index], message })
        }
      })
      .default([]),
  ),
})

const s3 = z
  .strictObject({
    endpoint: setting(
      'Address of a store other than AWS; the bucket is then named in the path.',
      z
        .url({ protocol: /^https?$/, error: 'an http or https URL' })
        .refine(
          (url) => new URL(url).username === '',
          'a URL without a user; credentials have settings of their own',
        )
        .transform((url) => url.replace(/\/+$/, ''))
        .optional(),
      { defaultText: 'AWS' },
    ),
    bucket: setting(
      'Bucket; Holdfast only puts objects into it, and needs no other right.',
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket')
        .optional(),
    ),
    prefix: setting(
      'Before the names of all objects, which go on with year, month and day.',
      z
        .string()
        .regex(
          /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/,
          'words of letters, digits, dots, hyphens and underscores, between slashes',
        )
        .max(200)
        .default('deaths'),
    ),
    region: setting(
      'Region of the bucket.',
      text.regex(/^[a-z0-9-]{1,64}$/, 'the name of a region').default('us-east-1'),
    ),
    accessKeyId: setting('Id of the key.', text.optional()),
    secretAccessKey: secret('The key.', text.optional()),
    sessionToken: secret('Token of a key that is valid for a while.', text.optional()),
    proxy: setting(
      'HTTP proxy on the way to the store.',
      z.url({ protocol: /^https?$/, error: 'an http or https URL' }).optional(),
      { defaultText: 'HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment' },
    ),
    caFile: setting('Certificate authorities to trust besides those of the system, PEM.', text.optional()),
  })
  .refine(
    ({ accessKeyId, secretAccessKey }) => (accessKeyId === undefined) === (secretAccessKey === undefined),
    {
      path: ['secretAccessKey'],
      error: 'records.s3.accessKeyId and records.s3.secretAccessKey together, or neither',
    },
  )

/** The sink to which sealed death records are written as well as to the ledger. */
export const recordsSchema = z
  .strictObject({
    sink: setting(
      'Where death records are written as well as to the ledger, as JSON lines: `none`, a `folder` of this machine, or `s3`, a store with that API. All that the ledger still has is written, in order, at least once; readers identify records by their `id`.',
      z.enum(['none', 'folder', 's3']).default('none'),
    ),
    folder: setting('The folder, for `sink: folder`; one file for each day.', text.optional(), {
      defaultText: '`records` in the data folder',
    }),
    keepDays: setting(
      'Files in the folder of days that are longer ago are deleted; other files are not touched. For `s3` the bucket has rules of its own for that.',
      z.int().min(1).max(keepDaysMax).default(365),
    ),
    s3: s3.prefault({}),
  })
  .refine(({ sink, s3: { bucket } }) => sink !== 's3' || bucket !== undefined, {
    path: ['s3', 'bucket'],
    error: 'the name of the bucket, because records.sink is s3',
  })
  .refine(({ sink, s3: { accessKeyId } }) => sink !== 's3' || accessKeyId !== undefined, {
    path: ['s3', 'accessKeyId'],
    error: 'the id of the key, because records.sink is s3',
  })
