import type { PodStage } from '../stage.ts'

/** The runner below a shell, as launchers are: it is not the first of its container, so that signals take it. */
export function launched({ runnerCommand }: PodStage, end = 'exit $?'): { readonly command: string[] } {
  return { command: ['sh', '-c', `"$@"; ${end}`, 'sh', ...runnerCommand] }
}

/** A program that stands for the runner's: it says these lines, and ends with this code. */
export function saying(lines: readonly string[], code: number): { readonly command: string[] } {
  const script = `for line; do [ "$line" != --jitconfig-file ] || break; printf '%s\\n' "$line"; done; exit ${code}`
  return { command: ['sh', '-c', script, 'sh', ...lines] }
}

/** Any shell program in the place of the runner's. */
export function shell(script: string): { readonly command: string[] } {
  return { command: ['sh', '-c', script, 'sh'] }
}

/** Only nodes of this name take its pods. */
export function onNode(node: string): { readonly nodeSelector: object } {
  return { nodeSelector: { 'kubernetes.io/hostname': node } }
}

/** A start that comes to nothing is given up after seconds instead of minutes. */
export const hurried = { provisioning: { startDeadlineSeconds: 10, unschedulableDeadlineSeconds: 10 } }
