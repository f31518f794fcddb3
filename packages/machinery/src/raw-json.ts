interface RawJson {
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  rawJSON(text: string): object;
}
// The platform has both; the compiler's library of this year does not know them yet.
const raw = JSON as unknown as RawJson;

/** A number that is written out again with exactly these digits. */
export function rawJson(digits: string): object {
  return raw.rawJSON(digits);
}

/** The digits of a number that is kept as raw JSON; undefined for anything else. */
export function rawNumber(value: unknown): string | undefined {
  return raw.isRawJSON(value) ? value.rawJSON : undefined;
}
