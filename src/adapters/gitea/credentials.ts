/**
 * The credentials of one ephemeral runner for one job, in the format of the `.runner` file of Gitea's own runner
 * program: decoded into a file of that name, `act_runner daemon` starts from it.
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

/** Encodes the credentials as one word without spaces; the result is a secret. */
export function encodeCredentials(credentials: RunnerCredentials): string {
  return Buffer.from(JSON.stringify(credentials)).toString('base64')
}
