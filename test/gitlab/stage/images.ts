import { busyboxEntries, type Entry, type Image, programEntries } from '../../cluster/index.ts'
import { type GitlabBinaries, runnerVersion } from '../binaries/build.ts'

/** Known as a manager by its name, as GitLab's own image is. */
export const managerImage = `holdfast.test/gitlab-runner:${runnerVersion}`
export const helperImage = `holdfast.test/gitlab-runner-helper:${runnerVersion}`

/** The images of manager and helper, of what was built and what this machine has. */
export async function gitlabImages(
  { manager, helper }: GitlabBinaries,
  busybox: string,
): Promise<readonly Image[]> {
  const base = await busyboxEntries(busybox)
  const bash: Entry = {
    kind: 'file',
    path: 'usr/bin/gitlab-runner-build',
    mode: 0o755,
    content: '#!/bin/bash\numask 0\nexec /bin/bash "$@"\n',
  }
  return [
    {
      name: managerImage,
      entries: [...base, ...(await programEntries(manager, '/usr/bin/gitlab-runner'))],
      command: ['/usr/bin/gitlab-runner', 'run'],
    },
    {
      name: helperImage,
      entries: once([
        ...base,
        ...(await programEntries('/bin/bash', '/bin/bash')),
        ...(await programEntries(helper, '/usr/bin/gitlab-runner-helper')),
        bash,
        // Its scripts begin with /usr/bin/env.
        { kind: 'link', path: 'usr/bin/env', target: '/bin/busybox' },
      ]),
      command: ['/bin/sh'],
    },
  ]
}

/** A layer has each path once: the last counts. */
function once(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()]
}
