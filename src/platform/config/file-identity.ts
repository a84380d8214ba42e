import { statSync } from 'node:fs'

/**
 * What changes when a file does: which file it is, how large, when written. Links are followed, because Kubernetes
 * replaces a secret by turning a link; a file that cannot be looked at has the reason as its identity.
 */
export function fileIdentity(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unreadable'
  }
}
