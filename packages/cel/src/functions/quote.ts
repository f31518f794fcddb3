/** Texts in quotes, with what cannot be shown escaped. */
const ESCAPES: { readonly [char: string]: string } = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

export function quoteText(given: string): string {
  const shown: string[] = [];
  for (const char of given.toWellFormed()) shown.push(ESCAPES[char] ?? char);
  return `"${shown.join('')}"`;
}
