/** Names of fields as expressions write them: what is no identifier, or a word of the language, is spelt out. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);

/** `a-b` is `a__dash__b`, `namespace` is `__namespace__`; undefined: no expression can name it. */
export function escapeName(name: string): string | undefined {
  if (name === '' || !/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (odd) => ESCAPES.get(odd) ?? odd);
}
