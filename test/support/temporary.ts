import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
}

/** A folder that goes when the scope ends; others may pass through it, as the server's user must when we are root. */
export async function temporaryFolder(prefix = 'holdfast-test-'): Promise<TemporaryFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  await chmod(folder, 0o711)
  return {
    path: folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}
