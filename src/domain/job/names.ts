/** An owner or a repository as it is compared: forges do not tell them by case. */
export const nameKey = (name: string): string => name.toLowerCase()

/** Whether two names mean the same owner or repository. */
export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}
