import { reasonOf, systemCodeOf } from '../../../domain/reason.ts'

const rightsCodes: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

/** The system's reason, with a hint where rights are missing. */
export function rightsReasonOf(error: unknown): string {
  const reason = reasonOf(error)
  if (!rightsCodes.includes(systemCodeOf(error))) return reason
  return `${reason} (no rights; run as root, or let the service manager delegate a group: Delegate=yes)`
}
