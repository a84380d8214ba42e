/** The key by which owners and repositories are compared: forges ignore their case. */
export const nameKey = (name: string): string => name.toLowerCase()

/** Whether two names mean the same owner or repository. */
export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}
