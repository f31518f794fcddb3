/** The value of a text that somebody else wrote; undefined where it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The members of a value that somebody else wrote, none of which is what it should be for sure; of what has none, none. */
export function membersOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown }) : {};
}
