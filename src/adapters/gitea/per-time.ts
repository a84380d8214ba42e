/**
 * Gitea keeps a job's id when the job is run again; the ledger ends a job once. So each time that Gitea runs a job is
 * a job of its own there: the first has Gitea's id, the second this much more, and so on.
 */
export const PER_TIME = 1_000_000_000_000
