/** The answer of a probe. */
export interface ProbeVerdict {
  /** One word of its kind, such as `reachable` or `refused`. */
  readonly outcome: string
  readonly isGood: boolean
  /** `proven`: the kubelet says so. `likely`: a program of the lane's image says so. */
  readonly confidence: 'proven' | 'likely' | 'unknown'
  /** The class of the audit that it speaks for; null: none. */
  readonly class: string | null
  readonly summary: string
  /** Lines as they were read, masked and bounded. */
  readonly evidence: readonly string[]
  readonly mustNotConclude: readonly string[]
}
