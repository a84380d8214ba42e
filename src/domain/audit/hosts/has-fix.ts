import type { FactSource } from '../../snapshot/index.ts'
import { compareVersions, imageTag } from '../../version.ts'
import type { Contract, ImageLabels, KnownFix } from '../contract/contract.ts'
import { clockText } from '../judging.ts'
import type { ImageInUse } from './images.ts'
import { labelsOf } from './labels.ts'

/** One sign that an image has a fix, or has not. */
interface Sign {
  readonly has: boolean
  readonly text: string
  readonly source: FactSource
  readonly isCertain: boolean
}

/** Whether an image has a fix; null where nothing says it. */
export interface FixJudgement {
  readonly has: boolean | null
  readonly isCertain: boolean
  readonly signs: readonly Sign[]
}

/** Judges an image by its tag and its labels. One sign against it is enough: a fix that may be missing is looked at. */
export function judgeFix(fix: KnownFix, use: ImageInUse, contract: Contract): FixJudgement {
  const signs = [
    ...signsOfTag(fix, use.image),
    ...labelsOf(use, contract).flatMap(({ labels, source, place, isOfContent }) =>
      signsOfLabels(fix, labels).map(({ has, text }) => ({
        has,
        text: `${text} (${place})`,
        source,
        isCertain: isOfContent,
      })),
    ),
  ]
  const against = signs.filter(({ has }) => !has)
  return {
    has: against.length > 0 ? false : signs.length > 0 ? true : null,
    isCertain: against.some(({ isCertain }) => isCertain),
    signs: [...new Map(signs.map((sign) => [sign.text, sign])).values()],
  }
}

function signsOfTag({ fixedIn, without }: KnownFix, image: string): Sign[] {
  const tag = imageTag(image)
  if (tag === null) return []
  const sign = (has: boolean) => [
    { has, text: `its tag is ${tag}`, source: 'cluster' as const, isCertain: true },
  ]
  if (tag === fixedIn) return sign(true)
  if (without.includes(tag)) return sign(false)
  const order = compareVersions(tag, fixedIn)
  return order === null ? [] : sign(order >= 0)
}

/** An image that was built after the fix proves nothing: it may be of an older branch. */
function signsOfLabels(
  { fixedIn, fixedAt, without }: KnownFix,
  { version, revision, builtAt }: ImageLabels,
): Pick<Sign, 'has' | 'text'>[] {
  const order = version === null ? null : compareVersions(version, fixedIn)
  const isBefore = revision !== null && without.some((known) => isSameCommit(known, revision))
  const isFix = revision !== null && isSameCommit(fixedIn, revision)
  return [
    ...(order === null ? [] : [{ has: order >= 0, text: `its label says version ${version}` }]),
    ...(isBefore || isFix ? [{ has: isFix, text: `its label says revision ${revision}` }] : []),
    ...(builtAt !== null && fixedAt !== null && builtAt < fixedAt
      ? [{ has: false, text: `it was built at ${clockText(builtAt)}, the fix is of ${clockText(fixedAt)}` }]
      : []),
  ]
}

const commitCharsMin = 7

/** Commit ids are often cut. */
function isSameCommit(a: string, b: string): boolean {
  const [short, long] = [a.toLowerCase(), b.toLowerCase()].sort((x, y) => x.length - y.length) as [
    string,
    string,
  ]
  return short.length >= commitCharsMin && /^[0-9a-f]+$/.test(short) && long.startsWith(short)
}
