/** Facts about the machine that a hostile job knows. */
export interface Target {
  readonly holdfastPid: number
  readonly dataDir: string
  /** Where runners of own users have their folders. */
  readonly jobsFolder: string
  /** By which a process is found again that the job leaves behind. */
  readonly daemonSeconds: string
}

/**
 * A job that tries one thing after the other and says for each whether it succeeded. Signals are sent as SIGCONT: who
 * may send that may send SIGKILL, and the test learns of all of them in one run.
 */
export function localAttack({ holdfastPid, dataDir, jobsFolder, daemonSeconds }: Target): string {
  return `set +e
tried() { if [ "$2" = 0 ]; then echo "attack $1 succeeded"; else echo "attack $1 failed"; fi; }
any() { name=$1; shift; got=1; for each in "$@"; do if [ -r "$each" ] && cat "$each" > /dev/null 2>&1; then got=0; fi; done; tried "$name" $got; }

cat /proc/${holdfastPid}/environ > /dev/null 2>&1; tried read-environment $?
any become-operator ${dataDir}/operator-token
any read-keys ${dataDir}/keys.json ${dataDir}/agent-token ${dataDir}/postgres/password
kill -CONT ${holdfastPid} 2> /dev/null; tried kill-holdfast $?

supervisors=$(grep -las shim/main.ts /proc/[0-9]*/cmdline | grep -v self | cut -d/ -f3)
got=1; for pid in $supervisors; do tr '\\0' ' ' < /proc/$pid/cmdline | grep -q '${dataDir}' && kill -CONT $pid 2> /dev/null && got=0; done
tried kill-supervisor $got
pollers=$(grep -las poller/main.ts /proc/[0-9]*/cmdline | grep -v self | cut -d/ -f3)
got=1; for pid in $pollers; do kill -CONT $pid 2> /dev/null && got=0; done
tried kill-poller $got

got=1; for name in $(ls ${dataDir}/runners 2> /dev/null) own; do ( echo '{}' > ${dataDir}/runners/$name/attacked.json ) 2> /dev/null && got=0; done
tried write-ending $got
any read-records ${dataDir}/runners/*/start.json ${dataDir}/runners/*/runner.json
got=1; for n in $(seq 60706 61183); do if [ "${jobsFolder}/$n/home" != "$HOME" ] && ls "${jobsFolder}/$n/home" > /dev/null 2>&1; then got=0; fi; done
tried enter-homes $got
any read-sibling $(ls -d ${dataDir}/runners/*/work/_work/*/of-a-sibling ${jobsFolder}/*/home/work/_work/*/of-a-sibling 2> /dev/null) /proc/[0-9]*/cwd/of-a-sibling

got=1; for procs in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do ( echo $$ > $procs ) 2> /dev/null && got=0; done
tried leave-cgroup $got
grep -q 'NoNewPrivs:.*1' /proc/self/status; tried gain-privileges $((1 - $?))
env | grep -q '^HOLDFAST_.*\\|DATABASE_URL'; tried find-settings $?

echo of-this-job > /tmp/holdfast-attack-${daemonSeconds}
( setsid env -i sh -c '( exec sleep ${daemonSeconds} ) & exit 0' < /dev/null > /dev/null 2>&1 & )
sleep 1
echo 'attacks tried'
`
}

/** The outcomes that a job printed of its attacks, by name. */
export function attacksIn(log: string): Record<string, string> {
  const found = [...log.matchAll(/attack ([a-z-]+) (succeeded|failed)/g)]
  return Object.fromEntries(found.map(([, name, how]) => [name, how]))
}

/** A job of Holdfast's own user that writes how it ended, as it likes it, and kills who would have written the truth. */
export const forgedDeath = `set +e
runner=$(pwd | sed 's|/work/.*||')
cat > "$runner/ending.json" << 'END'
${JSON.stringify({
  exitCode: 137,
  signal: 'SIGKILL',
  startedAt: 1,
  endedAt: 2,
  tail: '',
  oomKills: 1,
  samples: [],
  memoryPeakBytes: 536_870_912,
  memoryLimitBytes: 536_870_912,
  stopRequestedBy: null,
  pod: null,
  missing: [],
})}
END
for each in /proc/[0-9]*; do
  tr '\\0' ' ' < $each/cmdline 2> /dev/null | grep -q "shim/main.ts $runner " && kill -9 "\${each#/proc/}"
done
sleep 100
`
