import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Imitation, nodeFiles, podFiles, podGroup, podUidAt } from '../../src/agent/testing/imitation.ts'

/** A node's files in a folder. */
export interface ImitatedNode {
  readonly folder: string
  /** The pod's group disappears. */
  end(index: number): Promise<void>
  close(): Promise<void>
}

export async function openNode(of: Imitation, pods: number): Promise<ImitatedNode> {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-agent-'))
  const files = { ...nodeFiles(of), kmsg: '' }
  for (let index = 0; index < pods; index += 1) Object.assign(files, podFiles(of, podUidAt(index)))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
  await writeFile(path.join(folder, 'token'), 'token')
  const mount = of.version === 2 ? 'cgroup' : 'cgroup/memory'
  return {
    folder,
    end: (index) =>
      rm(path.join(folder, mount, podGroup(of, podUidAt(index))), { recursive: true, force: true }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
