import type { FindingClass } from '../audit.ts'

const page = 'runtime.md'

/** Texts of this audit's classes. */
const texts = {
  'listener-missing': {
    entry: 'E10',
    title: 'A scale set has no listener: nobody takes its jobs',
    mustNotConclude: [
      'The phase Running of the scale set says nothing about its listener.',
      'Runners without a job field are not idle: the missing listener would have written it.',
    ],
  },
  'listener-crash-loop': {
    entry: 'E2',
    title: 'A listener ends and is made again without back-off',
    mustNotConclude: [
      'A restart count of 0 is no sign of health: ARC makes a new pod each time.',
      'A pod that happens to be Running is no sign of health either.',
      'Runners without a job field are not idle.',
    ],
  },
  'listener-not-ready': {
    entry: 'E3',
    title: 'A listener’s pod does not start',
    mustNotConclude: [
      'It is not a lack of runners, and a higher maximum changes nothing.',
      'Runners without a job field are not idle.',
    ],
  },
  'scale-set-never-registered': {
    entry: 'E2',
    title: 'A scale set is unknown to the forge: no job can reach it',
    mustNotConclude: ['It is not a lack of capacity: nothing was made for it yet.'],
  },
  'rollover-deadlock': {
    entry: 'E11',
    title: 'A new spec waits for runners that never end',
    mustNotConclude: [
      'A rollover whose last runners are busy, with no replicas wanted, is no deadlock: it ends with their jobs.',
      'Runners without a job field are not idle: the listener that writes it is gone.',
      'Finalizers are never to be stripped: the registrations would stay.',
    ],
  },
  'stale-idle-listener-blocker': {
    entry: 'E10',
    title: 'Runners without a job keep ARC from making the listener again',
    mustNotConclude: [
      'Without a listener, an empty job field proves nothing: the forge decides whether they are idle.',
    ],
  },
  'stale-generation': {
    entry: 'E11',
    title: 'Runners of an old generation stay and take jobs with the old spec',
    mustNotConclude: [
      'A busy runner of an old generation is right: it ends with its job.',
      'The counts of the scale set leave these runners out.',
    ],
  },
  'idle-leak': {
    entry: 'E9',
    title: 'Runners without a job outlive the demand',
    mustNotConclude: ['Warm capacity is no leak: only runners above the wanted number count.'],
  },
  'failed-runners-hold-slots': {
    entry: 'section 0',
    title: 'Failed runners hold slots and are never replaced',
    mustNotConclude: [
      'They do not heal when the cause is gone: ARC never tries them again.',
      'The maximum is not too low: the slots are taken by runners without pods.',
    ],
  },
  'runners-in-failure-back-off': {
    entry: 'section 0',
    title: 'Runners fail again and again, and hold their slots meanwhile',
    mustNotConclude: [
      'The phase Running does not say that they run: during back-off there is no pod.',
      'None of them ever becomes Failed: after the sixth failure a new one starts from zero.',
    ],
  },
  'finalizer-stuck': {
    entry: 'section 0',
    title: 'A runner that was deleted cannot leave',
    mustNotConclude: [
      'A runner whose job still runs is right to stay.',
      'Finalizers are never to be stripped: the registration, and perhaps a job, would stay at the forge.',
    ],
  },
  outdated: {
    entry: 'section 0',
    title: 'The forge refuses the runner’s version, and ARC takes the set down',
    mustNotConclude: [
      'The counts of the scale set are of runners that no longer exist.',
      'It is neither capacity nor credentials: only a newer runner image helps.',
    ],
  },
  'runner-version-refused-now': {
    entry: 'section 6',
    title: 'The forge refuses runners of this version, while everything looks healthy',
    mustNotConclude: ['Ready pods and a listener that runs do not say that jobs are given to these runners.'],
  },
  'runner-version-refused-soon': {
    entry: 'section 6',
    title: 'The forge will refuse runners of this version soon',
    mustNotConclude: ['That it works today does not say that it works after the date.'],
  },
  'quota-exceeded': {
    entry: 'E4',
    title: 'A resource quota refuses the pods of runners',
    mustNotConclude: [
      'These runners do not wait for a node: they have no pod at all, and no event says so.',
      'A higher maximum of runners changes nothing.',
    ],
  },
  'cancelled-job-handoff': {
    entry: 'E10',
    title: 'A cancelled job’s runner keeps the only slot of its lane',
    mustNotConclude: [
      'From the cluster alone it looks like a healthy busy runner.',
      'Only this one runner may go, and only while the next job is still queued.',
    ],
  },
  'label-unreachable': {
    entry: 'E4',
    title: 'Queued jobs ask for labels that no runner of their repository has',
    mustNotConclude: ['It is scope, not capacity: more runners of other labels or owners change nothing.'],
  },
  'offline-no-job-cleanup-candidate': {
    entry: 'E4',
    title: 'A runner is offline at the forge and has no job',
    mustNotConclude: ['A runner that starts is offline too, until its pod runs.'],
  },
  'assigned-job-at-risk': {
    entry: 'E4',
    title: 'A job is assigned to a runner that is gone',
    mustNotConclude: [
      'The runner must not be removed for it: the job is real until the forge gives it up or somebody cancels it.',
    ],
  },
} as const

export type RuntimeClass = keyof typeof texts

export const runtimeClasses: readonly FindingClass[] = Object.entries(texts).map(([name, text]) => ({
  name,
  page,
  ...text,
}))

export function classNamed(name: RuntimeClass): FindingClass {
  return { name, page, ...texts[name] }
}
