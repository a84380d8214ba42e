/** For tests: a line of the kernel about a kill in a group, at the limit of another one or of its own. */
export const oomLine = (group: string, limit = group, task = 'node', pid = 7) =>
  `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/${limit},task_memcg=/${group},task=${task},pid=${pid},uid=1001`
