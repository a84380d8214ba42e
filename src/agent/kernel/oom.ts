import { ownerOf } from '../cgroup/pod-of.ts'

/*
 * oom-kill:constraint=…,cpuset=<name>,…,oom_memcg=<path>,task_memcg=<path>,task=<name>,pid=<n>,uid=<n>
 * Where the whole node is out of memory there is no oom_memcg. A job can choose the last parts of the paths, the name of
 * the cpuset and that of the task, commas in them too. A cpuset's name has no slash, so that the first path is the
 * kernel's; and a path begins with a part that no job chooses. The rest of it is not trusted.
 */
const kill = /^oom-kill:constraint=\w+,/
const firstPath = /,(?:oom_memcg|task_memcg)=(\/[^,]*)/
const taskPath = /,task_memcg=(\/[^,]*)/

/**
 * The owner of the process that the kernel killed for want of memory; null where a line is about something else, has no
 * owner, or is about a group that is not below this one: several nodes may share one kernel.
 */
export function oomOwnerIn(text: string, below: string): string | null {
  if (!kill.test(text)) return null
  // The limit may be that of all pods, or of a class of them: then no job has chosen any part of it.
  return ownerBelow(firstPath.exec(text)?.[1], below) ?? ownerBelow(taskPath.exec(text)?.[1], below)
}

function ownerBelow(path: string | undefined, below: string): string | null {
  return path?.startsWith(below) ? ownerOf(path) : null
}
