/** A pool that nobody can use, and the words in which the API server says what to write instead. */
export interface WrongPool {
  readonly title: string
  readonly spec: Readonly<Record<string, unknown>>
  readonly says: readonly string[]
}

const least = { labels: ['linux'], image: 'runner:1' }
const window = { cron: '0 8 * * mon-fri', durationMinutes: 60, minWarm: 2 }

function wrong(title: string, over: Record<string, unknown>, ...says: string[]): WrongPool {
  const { labels, ...spec } = { ...least, ...over }
  return { title, spec: { ...spec, ...(labels !== undefined && { labels }) }, says }
}

function template(title: string, spec: Record<string, unknown>, ...says: string[]): WrongPool {
  return wrong(title, { template: { spec } }, 'spec.template', ...says)
}

export const wrongPools: readonly WrongPool[] = [
  wrong('more warm runners than runners', { minWarm: 5 }, 'spec.minWarm', 'expected at most maxRunners'),
  wrong('no runners', { maxRunners: 0 }, 'spec.maxRunners', 'greater than or equal to 1'),
  wrong('no labels', { labels: [] }, 'spec.labels', 'at least 1 items'),
  wrong('labels left out', { labels: undefined }, 'spec.labels: Required value'),
  wrong('one label twice', { labels: ['gpu', 'GPU'] }, 'spec.labels', 'differ in more than upper and lower'),
  wrong('a label with a space', { labels: ['big box'] }, 'spec.labels[0]', 'without spaces or commas'),
  wrong('no image', { image: undefined }, 'spec.image', 'such as ghcr.io/actions/actions-runner:latest'),
  wrong('an image with a space', { image: 'a b' }, 'spec.image', 'the name of an image, without spaces'),
  wrong('an unknown shape', { shape: 'double' }, 'spec.shape', '"isolated", "single"'),
  wrong('a second container in a single one', { shape: 'single', dind: {} }, 'spec.dind', 'shape: isolated'),
  wrong('a time with its unit', { idleTimeoutSeconds: '5m' }, 'spec.idleTimeoutSeconds', 'type integer'),
  wrong('a share of nothing', { rollout: { maxConcurrentPercent: 0 } }, 'spec.rollout.maxConcurrentPercent'),
  wrong('a weight of nothing', { fairness: { weights: { 'a/b': 0 } } }, 'spec.fairness.weights.a/b'),
  wrong(
    'a class that is none',
    { priorities: [{ repository: '*', class: 'urgent' }] },
    ...['spec.priorities[0].class', '"critical", "high", "normal", "low"'],
  ),
  wrong(
    'a schedule that is none',
    { warmWindows: [{ ...window, cron: '0 25 * * *' }] },
    ...['spec.warmWindows[0].cron', 'five fields', 'such as 0 8 * * mon-fri'],
  ),
  wrong(
    'a zone that is none',
    { warmWindows: [{ ...window, zone: 'Mars/Phobos' }] },
    ...['spec.warmWindows[0].zone', 'such as Europe/Berlin'],
  ),
  wrong(
    'a window without an end',
    { warmWindows: [{ ...window, durationMinutes: undefined }] },
    'durationMinutes',
  ),
  wrong(
    'a window above the bound',
    { warmWindows: [{ ...window, minWarm: 9 }] },
    ...['spec.warmWindows', 'minWarm is at most maxRunners'],
  ),
  wrong(
    'an amount that is none',
    { resources: { limits: { memory: 'much' } } },
    ...['spec.resources.limits[memory]', 'such as 500m, 2, 512Mi or 10Gi'],
  ),
  wrong(
    'a request above its limit',
    { resources: { requests: { cpu: 2 }, limits: { cpu: '500m' } } },
    ...['spec.resources.requests', 'no request above its limit'],
  ),
  template('a runner that starts again', { restartPolicy: 'Always' }, 'spec.restartPolicy: Never'),
  template('a token for everybody', { automountServiceAccountToken: true }, 'a job could read the token'),
  template('no name', { initContainers: [{ image: 'a' }] }, 'spec.initContainers[0].name: Required value'),
  template('a helper that outlives the job', { containers: [{ name: 'db' }] }, 'restartPolicy: Always'),
  template('the runner in another place', { initContainers: [{ name: 'runner' }] }, 'in spec.containers'),
  template('our check', { initContainers: [{ name: 'check' }] }, 'no container check', 'give yours another'),
  wrong(
    'a poller where there is none',
    { shape: 'single', template: { spec: { initContainers: [{ name: 'poller' }] } } },
    ...['spec.template', 'no container poller', 'give yours another name'],
  ),
  wrong('a group with spaces around it', { runnerGroup: ' Fast' }, 'spec.runnerGroup', 'in one line'),
  template(
    'another poller',
    { initContainers: [{ name: 'poller', image: 'mine' }] },
    'Holdfast writes these',
  ),
  template(
    'another program of the runner',
    { containers: [{ name: 'runner', command: ['sh'] }] },
    'write image and command next to the template',
  ),
  template(
    'one name twice',
    { initContainers: [{ name: 'a' }, { name: 'a' }] },
    'containers of different names',
  ),
  wrong('a name for pods', { template: { metadata: { name: 'a' } } }, 'spec.template', 'no metadata.name'),
]
