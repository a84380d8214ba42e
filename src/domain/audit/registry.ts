import type { Audit } from './audit.ts'
import { burst } from './burst/index.ts'
import { contract } from './contract/index.ts'
import { credentials } from './credentials/index.ts'
import { fileTable } from './file-table/index.ts'
import { gitlab } from './gitlab/index.ts'
import { gitlabToml } from './gitlab-toml/index.ts'
import { hosts } from './hosts/index.ts'
import { imagefs } from './imagefs/index.ts'
import { network } from './network/index.ts'
import { nixCache } from './nix-cache/index.ts'
import { oom } from './oom/index.ts'
import { pending } from './pending/index.ts'
import { pullSecrets } from './pull-secrets/index.ts'
import { runtime } from './runtime/index.ts'
import { sharedLabels } from './shared-labels/index.ts'

/** Every audit, in the order in which pages and help name them. */
export const audits: readonly Audit[] = [
  credentials,
  pullSecrets,
  burst,
  sharedLabels,
  imagefs,
  oom,
  fileTable,
  network,
  runtime,
  pending,
  nixCache,
  contract,
  hosts,
  gitlab,
  gitlabToml,
]
