/** The system's reason, with what to do where rights are missing. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return text
  return `${text} (no rights; run as root, or let the service manager delegate a group: Delegate=yes)`
}
