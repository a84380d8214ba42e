export interface Violation {
  readonly invariant: string
  readonly what: string
}
