import { readFile } from 'node:fs/promises'
import { run } from '../../support/go-build.ts'
import type { Entry } from './tar.ts'

/** A small system: busybox under all its names, and the folders that programs expect. */
export async function busyboxEntries(program: string): Promise<Entry[]> {
  const names = (await run(program, ['--list']))
    .split('\n')
    .filter((name) => name !== '' && name !== 'busybox')
  return [
    ...['bin', 'dev', 'etc', 'proc', 'root', 'run', 'sys', 'usr', 'usr/bin', 'var', 'var/log'].map(
      (path): Entry => ({ kind: 'folder', path }),
    ),
    { kind: 'folder', path: 'tmp', mode: 0o1777 },
    {
      kind: 'file',
      path: 'etc/passwd',
      content: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n',
    },
    { kind: 'file', path: 'etc/group', content: 'root:x:0:\nnogroup:x:65534:\n' },
    { kind: 'file', path: 'bin/busybox', content: await readFile(program), mode: 0o755 },
    ...names.map((name): Entry => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' })),
  ]
}
