import type { Instant } from '../../time.ts'

/** From a date on, the forge refuses runners that are older than a version. */
export interface MinimumVersion {
  readonly version: string
  readonly from: Instant
  /** `jobs`: they stay online and get none. `registration`: they cannot register. */
  readonly refuses: 'jobs' | 'registration'
  readonly source: string
}

/**
 * GitHub gives no jobs to a runner that is not updated within 30 days of a release, and announces no list of versions: each
 * line is an announcement, or a refusal that was observed. For github.com and *.ghe.com; a GitHub Enterprise Server has
 * its own. A version that no line reaches is not judged good, only not refused by anything known here.
 */
export const minimumVersions: readonly MinimumVersion[] = [
  {
    version: '2.330.0',
    from: Date.UTC(2026, 0, 20),
    refuses: 'jobs',
    source: 'https://github.com/actions/runner/issues/4203',
  },
  {
    version: '2.332.0',
    from: Date.UTC(2026, 3, 29),
    refuses: 'jobs',
    source: 'https://github.com/actions/runner/issues/4392',
  },
  {
    version: '2.334.0',
    from: Date.UTC(2026, 5, 23),
    refuses: 'jobs',
    source: 'https://github.com/namecheap/ec2-github-runner/releases/tag/v3.0.2',
  },
  {
    version: '2.329.0',
    from: Date.UTC(2026, 8, 25),
    refuses: 'registration',
    source: 'https://github.com/orgs/community/discussions/194762',
  },
  {
    version: '2.338.0',
    from: Date.UTC(2026, 10, 5),
    refuses: 'jobs',
    source: 'https://github.com/actions-gateway/github-actions-gateway/releases/tag/v1.10.0',
  },
]

/** Whether these lines hold at the forge of a configuration URL. */
export function holdsAt(configUrl: string | null): boolean {
  const [, host] = /^https:\/\/([^/:]+)/.exec(configUrl ?? '') ?? []
  return host === 'github.com' || host?.endsWith('.ghe.com') === true
}
