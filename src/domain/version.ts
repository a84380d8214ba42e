const numbered = /^v?(\d{1,9}(?:\.\d{1,9}){1,3})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/

/** Negative where the first is older; null where the two have no order: commit ids, digests, `latest`. */
export function compareVersions(a: string, b: string): number | null {
  const [first, second] = [numbered.exec(a), numbered.exec(b)]
  if (first === null || second === null) return null
  const [left, right] = [numbersOf(first), numbersOf(second)]
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return comparePreviews(first[2], second[2])
}

/** The version of an image by its tag; null where the tag is none, or there is only a digest. */
export function imageTag(image: string): string | null {
  const [name = ''] = image.split('@')
  const colon = name.lastIndexOf(':')
  return colon > name.lastIndexOf('/') ? name.slice(colon + 1) : null
}

/** The digest of an image, or of the ID that a kubelet reports; null where there is none. */
export function imageDigest(image: string): string | null {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1] ?? null
}

/** The name of an image without tag and digest. */
export function imageRepository(image: string): string {
  const [name = ''] = image.split('@')
  const tag = imageTag(image)
  return tag === null ? name : name.slice(0, -tag.length - 1)
}

function numbersOf([, numbers = '']: RegExpExecArray): number[] {
  return numbers.split('.').map(Number)
}

/** A preview comes before its release; two previews have no order that all projects share. */
function comparePreviews(a: string | undefined, b: string | undefined): number | null {
  if (a === b) return 0
  if (a === undefined) return 1
  return b === undefined ? -1 : null
}
