import type { DeathKind } from '../kind.ts'
import type { MachineStage } from '../machine.ts'

const crowd = 'for i in $(seq 12); do dd if=/dev/zero bs=15M count=1 | sleep 60 & done; sleep 60'

/** As processes of the machine. */
export const processKinds: readonly DeathKind<MachineStage>[] = [
  {
    name: 'process-clean',
    how: 'the job succeeds, and the forge agrees',
    classes: ['clean'],
    cause: (stage) => stage.begun('sleep 1'),
  },
  {
    name: 'process-kill',
    how: 'its job sends SIGKILL to the runner',
    classes: ['sigkill-unknown'],
    cause: (stage) => stage.begun('sleep 1; kill -9 $PPID; sleep 60'),
  },
  {
    name: 'process-segv',
    how: 'its job sends SIGSEGV to the runner',
    classes: ['crash'],
    cause: (stage) => stage.begun('sleep 1; kill -SEGV $PPID; sleep 60'),
  },
  {
    name: 'process-term',
    how: 'its job sends SIGTERM to the runner',
    classes: ['terminated'],
    cause: (stage) => stage.begun('sleep 1; kill -TERM $PPID; sleep 60'),
  },
  {
    name: 'process-oom',
    how: 'the job fills the memory limit of the runner, and the kernel kills the runner',
    classes: ['container-oom'],
    pool: () => ({ limits: { memoryMiB: 160 } }),
    cause: (stage) => stage.begun(`sleep 1; ${crowd}`),
  },
  {
    name: 'process-program-missing',
    how: 'a command that is not on the machine',
    classes: ['config-error', 'never-started'],
    pool: () => ({ runnerCommand: ['/no/such/program'] }),
    cause: (stage) => stage.begun(),
  },
  {
    name: 'process-listener-code',
    staged: 'words',
    how: 'its version is refused: exit code 7',
    classes: ['runner-outdated'],
    pool: () => ({
      runnerCommand: [
        ...['sh', '-c'],
        'echo "Runner version v2.200.0 is deprecated and cannot receive messages."; exit 7',
      ],
    }),
    cause: (stage) => stage.begun(),
  },
]
