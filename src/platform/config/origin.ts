/** Where a value came from. */
export type Origin =
  | { readonly kind: 'default' }
  | { readonly kind: 'file'; readonly file: string; readonly line: number }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: string }

/** A value of a layer above the file. */
export interface Given {
  readonly value: unknown
  readonly origin: Origin
}

/** An origin in one word. */
export function originText(origin: Origin): string {
  if (origin.kind === 'default') return 'default'
  return origin.kind === 'file' ? `${origin.file}:${origin.line}` : origin.name
}
