/** Where the value of a setting comes from. */
export type Origin =
  | { readonly kind: 'flag' | 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'default' }

export interface Resolved<Value> {
  readonly value: Value
  readonly origin: Origin
}

/** The variable that the value comes from, if it comes from one. */
export function variableOf(origin: Origin | undefined): string | undefined {
  return origin?.kind === 'variable' ? origin.name : undefined
}
