/**
 * What one ephemeral runner needs to serve one job, in the words of the `.runner` file that Gitea's own runner
 * program keeps: decoded into a file of that name, it is what `act_runner daemon` starts from.
 */
export interface RunnerCredentials {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly token: string
  readonly address: string
  readonly labels: readonly string[]
  readonly ephemeral: true
}

/** As one word without spaces: a secret. */
export function encodeCredentials(credentials: RunnerCredentials): string {
  return Buffer.from(JSON.stringify(credentials)).toString('base64')
}
