import { foldersOf, isPlainName } from '../../workdir/index.ts'
import { fail, type Gate, pass } from '../gate.ts'
import type { HostLook } from '../host/facts.ts'
import { drained, noWorker } from '../host/gates.ts'
import type { PlannedFolder } from './facts.ts'

interface FolderFacts extends HostLook {
  readonly planned: PlannedFolder
}

const root = 0

/** Asked about the folder immediately before it is treated; every one must pass. The host asks about processes and identity once more. */
export const workdirRechecks: readonly Gate<FolderFacts>[] = [
  {
    name: 'same-folder',
    why: 'Another folder at the same path, or another state of this one, was never approved.',
    judge({ facts: { folder, top }, version, planned }) {
      const found = top.find(({ name }) => name === planned.name)
      if (folder.kind !== 'folder' || found === undefined) return fail('there is no such folder any more')
      const uid = `${folder.root.id}/${folder.id}/${found.id}`
      return {
        passed: uid === planned.uid && version === planned.resourceVersion,
        proof: `folder ${uid}, listing ${version.slice(0, 12)}; planned ${planned.uid}, ${planned.resourceVersion.slice(0, 12)}`,
      }
    },
  },
  {
    name: 'inside-root',
    why: 'Nothing outside of the declared root is touched, and nothing behind a symlink.',
    judge({ facts: { folder, top }, judgement: { host }, planned: { name } }) {
      if (folder.kind !== 'folder') return fail(`the work folder is ${folder.kind}`)
      if (folder.root.path !== host.root)
        return fail(`${host.root} leads over a symlink to ${folder.root.path}`)
      const kind = top.find((each) => each.name === name)?.kind ?? 'missing'
      const isRepository = isPlainName(name) && !name.startsWith('_')
      return {
        passed: kind === 'directory' && isRepository,
        proof: `${name} is a ${kind} in ${host.root}/${host.workFolder}${isRepository ? '' : ', and no folder of a repository'}`,
      }
    },
  },
  {
    name: 'one-file-system',
    why: 'A folder that is mounted belongs to something else.',
    judge: ({ planned: { target } }) => ({
      passed: deviceOf(target.ids.work) === deviceOf(target.ids.folder),
      proof: `device ${deviceOf(target.ids.folder)}, that of the work folder is ${deviceOf(target.ids.work)}`,
    }),
  },
  {
    name: 'one-contaminated',
    why: 'Several contaminated folders are no small repair: the host is replaced.',
    judge({ facts: { cuts }, judgement: { verdict, folders }, planned: { name } }) {
      const names = folders.flatMap((each) =>
        each.isRepository && each.verdict === 'contaminated' ? each.name : [],
      )
      if (names.length > 1) return fail(`${names.join(', ')} are contaminated: replace the host`)
      if (cuts.length > 0) return fail(`not everything was seen: ${cuts.join('; ')}`)
      return names[0] === name
        ? pass(`${name} alone is contaminated`)
        : fail(`${name} is not contaminated: the host is ${verdict}`)
    },
  },
  drained,
  noWorker,
  {
    name: 'rights',
    why: 'What is begun without the rights to end it leaves less than it found.',
    judge({ facts, planned }) {
      const blocking = foldersOf(facts, planned.target.ownerUid).find((each) => each.name === planned.name)
      const foreign = blocking?.blocking.filter(({ entry }) => entry.uid !== facts.readerUid) ?? []
      return facts.readerUid === root || foreign.length === 0
        ? pass(`the account with uid ${facts.readerUid} may change it`)
        : fail(
            `the account with uid ${facts.readerUid} may not change ${foreign.length} of these directories: it takes root`,
          )
    },
  },
  {
    name: 'mode-suffices',
    why: 'Write bits help only on directories that are the runner’s own.',
    judge({ facts, planned: { name, target } }) {
      if (target.mode === 'remove') return pass('its content is removed')
      const blocking = foldersOf(facts, target.ownerUid).find((each) => each.name === name)?.blocking ?? []
      const foreign = blocking.filter(({ entry }) => entry.uid !== target.ownerUid)
      return foreign.length === 0
        ? pass('all of these directories are the runner’s own')
        : fail(`${foreign.length} of these directories are of other accounts: unlock does not help`)
    },
  },
]

function deviceOf(id: string): string {
  return id.split(':', 1)[0] ?? ''
}
