/** A command of the README's table, and what its user sees. */
export interface Task {
  readonly args: readonly string[]
  /** The exit code; 0 by default. */
  readonly code?: number
  readonly says: RegExp
}

/** By the command as it stands in the README; a text says why it is not run here. Job 1 ended well. */
export const tasks: Readonly<Record<string, Task | string>> = {
  "holdfast submit --repository acme/web --name test --script 'make test' --wait": {
    args: ['submit', '--repository', 'acme/web', '--name', 'test', '--script', 'make test', '--wait'],
    code: 7,
    says: /E_JOB_BAD_END/, // the folder has no Makefile
  },
  'holdfast jobs': { args: ['jobs'], says: /running|No open jobs/ },
  'holdfast runners': { args: ['runners'], says: /RUNNER.*\n(local-.*\n)+/ },
  'holdfast status': 'what needs attention differs from run to run: src/cli/commands/status.test.ts',
  'holdfast doctor': { args: ['doctor'], says: /^ok +ports +process \d+ serves/m },
  'holdfast job <id>': { args: ['job', '1'], says: /success/ },
  'holdfast explain <job url \\| job \\| runner \\| pod>': { args: ['explain', '1'], says: /Verdict/ },
  'holdfast explain --namespace arc-runners <pod or job url>': noCluster(
    'explain',
    '--namespace',
    'arc',
    'a-pod',
  ),
  'kubectl logs <pod> \\| holdfast explain --log -':
    'needs a cluster: test/cluster/fleet/explain-arc.test.ts',
  'holdfast triage <job url \\| run url \\| runner \\| pod \\| log file>': {
    args: ['triage', '1'],
    says: /Answered by Holdfast's own ledger/,
  },
  'holdfast audit': 'needs a cluster: test/audits/main.ts',
  'holdfast audit <name>': 'needs a cluster; from a file: test/docs/audit-pages.test.ts',
  'holdfast workdir triage <run>': {
    args: ['workdir', 'triage', 'none.log'],
    code: 2,
    says: /no hosts are declared: .* --contract/,
  },
  'holdfast workdir audit': { args: ['workdir', 'audit'], code: 2, says: /no hosts are declared/ },
  'holdfast workdir reconcile': { args: ['workdir', 'reconcile'], code: 2, says: /no hosts are declared/ },
  'holdfast workdir remediate <host> <repository>': {
    args: ['workdir', 'remediate', 'honey-am-2', 'web'],
    code: 2,
    says: /no hosts are declared/,
  },
  'holdfast host drain <host>': {
    args: ['host', 'drain', 'honey-am-2'],
    code: 2,
    says: /no hosts are declared/,
  },
  'holdfast host start <host>': {
    args: ['host', 'start', 'honey-am-2'],
    code: 2,
    says: /no hosts are declared/,
  },
  'holdfast reap --scale-set <namespace/name>': {
    args: ['reap', '--scale-set', 'arc-runners/linux'],
    code: 3,
    says: /E_REMEDY_FORGE/,
  },
  'holdfast reap --apply <hash>': 'needs a cluster: test/remedies/main.ts',
  'holdfast fix failed-runners --scale-set <namespace/name>': {
    args: ['fix', 'failed-runners', '--scale-set', 'arc-runners/linux'],
    code: 3,
    says: /E_REMEDY_FORGE/,
  },
  'holdfast fix handoff --scale-set <namespace/name>': {
    args: ['fix', 'handoff', '--scale-set', 'arc-runners/linux'],
    code: 3,
    says: /E_REMEDY_FORGE/,
  },
  'holdfast fix listener-blocker --scale-set <namespace/name>': {
    args: ['fix', 'listener-blocker', '--scale-set', 'arc-runners/linux'],
    code: 3,
    says: /E_REMEDY_FORGE/,
  },
  'holdfast fix pull-secrets --scale-set <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast fix gitlab-token --deployment <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast fix secret-drift --scale-set <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast fix credentials --scale-set <namespace/name> --app-secret <name>': {
    args: ['fix', 'credentials', '--scale-set', 'arc-runners/linux', '--app-secret', 'arc-app'],
    code: 3,
    says: /E_REMEDY_FORGE/,
  },
  'holdfast fix gitlab-orphans --namespace <name>': 'needs a cluster: test/gitlab/main.ts',
  'holdfast fix outdated --scale-set <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast fix stuck-finalizers --scale-set <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast fix retry-proof --contract <file> <job url>':
    'needs a forge with a failed proof: src/main/commands/remedy/fix-retry-proof.test.ts',
  'holdfast probe nix-cache --scale-set <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast probe npm-tls --scale-set <namespace/name> --registry <host>':
    'needs a cluster: test/remedies/main.ts',
  'holdfast probe image-pull --scale-set <namespace/name>': 'needs a cluster: test/remedies/main.ts',
  'holdfast apply --scale-set <namespace/name> -- helm upgrade …': {
    args: ['apply', '--scale-set', 'arc-runners/linux', '--', 'true'],
    code: 3,
    says: /E_REMEDY_FORGE/,
  },
  'holdfast apply status': { args: ['apply', 'status'], says: /No apply was begun here/ },
  'holdfast trail list': { args: ['trail', 'list'], says: /No remedy has done anything here/ },
  'holdfast trail verify': { args: ['trail', 'verify'], says: /^0 rows/ },
  'holdfast snapshot save': 'needs a cluster: src/main/commands/snapshot/collect.test.ts',
  'holdfast snapshot show <file>': {
    args: ['snapshot', 'show', 'none.gz'],
    code: 6,
    says: /E_SNAPSHOT_UNREADABLE/,
  },
  'holdfast snapshot diff <before> <after>': {
    args: ['snapshot', 'diff', 'none.gz', 'none.gz'],
    code: 6,
    says: /E_SNAPSHOT_UNREADABLE/,
  },
  'holdfast deaths --since 24h': { args: ['deaths', '--since', '24h'], says: /sigkill-unknown/ },
  'holdfast decisions --since 24h': {
    args: ['decisions', '--since', '24h'],
    says: /The facts of one: holdfast job \d+|No such decisions/,
  },
  'holdfast why <id>': { args: ['why', '1'], says: /It is not queued: it is completed/ },
  'holdfast release <id>': { args: ['release', '1'], code: 5, says: /E_RELEASE_REFUSED/ },
  'holdfast incidents': { args: ['incidents'], says: /incident/i },
  'holdfast incidents retry <id>': {
    args: ['incidents', 'retry', '99'],
    code: 6,
    says: /E_INCIDENT_UNKNOWN/,
  },
  'holdfast jobs --unreachable': { args: ['jobs', '--unreachable'], says: /in reach/ },
  'holdfast jobs retire --installation <name> [--dry-run]': {
    args: ['jobs', 'retire', '--installation', 'another', '--dry-run'],
    code: 6,
    says: /E_INSTALLATION_UNKNOWN/,
  },
  'holdfast hosts': { args: ['hosts'], says: /local +live/ },
  'holdfast uninstall': noCluster('uninstall'),
  'holdfast uninstall --yes': noCluster('uninstall', '--yes'),
  'holdfast forge resync': { args: ['forge', 'resync'], says: /compared: the forge and the ledger agree/ },
  'holdfast forge budget': { args: ['forge', 'budget'], says: /calls left/ },
  'holdfast deliveries': { args: ['deliveries'], says: /No webhook was set aside/ },
  'holdfast deliveries replay <guid>': {
    args: ['deliveries', 'replay', 'x'],
    code: 6,
    says: /E_DELIVERY_UNKNOWN/,
  },
  'holdfast cancel <id>': { args: ['cancel', '1'], code: 5, says: /run that is completed/ },
  'holdfast rerun <id> [--failed]': { args: ['rerun', '1'], says: /The forge agreed to run job 1/ },
  'holdfast log <id>': { args: ['log', '1'], says: /up early/ },
  'holdfast config print': { args: ['config', 'print'], says: /dataDir = / },
  'holdfast config validate': { args: ['config', 'validate'], says: /The configuration is usable/ },
  'holdfast config schema': { args: ['config', 'schema'], says: /"\$schema"/ },
  'HOLDFAST_DATA_DIR=/srv/holdfast npm start': 'every test of the program sets its data folder',
  'holdfast migrate [--dry-run]': { args: ['migrate', '--dry-run'], code: 5, says: /E_DATA_DIR_BUSY/ },
  'holdfast keys rotate': { args: ['keys', 'rotate'], says: /seals from now on/ },
  'holdfast sim forge': 'serves until it is ended: src/cli/commands/sim',
}

/** On a machine without a cluster, the command says where it looked for one. */
function noCluster(...args: string[]): Task {
  return { args, code: 3, says: /E_CLUSTER_CONFIG/ }
}
