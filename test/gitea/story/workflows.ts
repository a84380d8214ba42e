/** The workflows of the story by name. Some write their runner's pid to a file in `pids` once their script runs. */
export function workflows(pids: string) {
  const job = (run: string, more: object = {}) => ({ 'runs-on': 'self-hosted', steps: [{ run }], ...more })
  const value = (lookup: string) => `$\{{ ${lookup} }}`
  const runnerPid = (name: string) => `echo $PPID > ${pids}/${name}.pid`
  return {
    needs: {
      build: job('echo building; sleep 1'),
      test: job('echo testing', { needs: 'build' }),
      release: job('echo releasing', { needs: ['build', 'test'] }),
    },
    matrix: {
      check: job(`echo on $OS with $N; test "$OS-$N" = "${value('matrix.os')}-${value('matrix.n')}"`, {
        strategy: { matrix: { os: ['a', 'b', 'c'], n: [1] } },
        env: { OS: value('matrix.os'), N: value('matrix.n') },
      }),
    },
    failing: {
      fails: job('echo about to fail; exit 3'),
      after: job('echo never', { needs: 'fails' }),
      always: job('echo anyway', { needs: 'fails', if: 'always()' }),
    },
    refused: { uses: { 'runs-on': 'self-hosted', steps: [{ uses: 'actions/checkout@v4' }] } },
    long: { long: job('for n in $(seq 1 80); do echo line $n; sleep 1; done') },
    cancelled: {
      stays: job(`${runnerPid('stays')}; sleep 300`),
      waits: job('echo never', { needs: 'stays' }),
    },
    doomed: { doomed: job(`${runnerPid('doomed')}; sleep 300`) },
    suicide: { suicide: job('kill -9 $PPID; sleep 300') },
    masked: {
      masked: job(
        `echo "::add-mask::hidden-word"; echo "it is hidden-word"; echo "and ${value('secrets.WORD')}"`,
      ),
    },
    crowd: { crowd: job('sleep 300', { strategy: { matrix: { n: [1, 2, 3, 4, 5, 6] } } }) },
    quick: { one: job('true'), two: job('true') },
    steady: { steady: job(`${runnerPid('steady')}; for n in $(seq 1 12); do echo $n; sleep 1; done`) },
    outage: { outage: job(`${runnerPid('outage')}; sleep 300`) },
  } as const
}

export type WorkflowName = keyof ReturnType<typeof workflows>

/** A workflow as a file that runs only when it is pushed itself. JSON is YAML. */
export function workflowFile(file: string, jobs: object): string {
  return JSON.stringify({ on: { push: { paths: [`.gitea/workflows/${file}`] } }, jobs })
}
