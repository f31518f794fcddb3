/**
 * What tells the items of a list apart, by what each is called: its place where it is called nothing, and its place too where
 * another is called the same, as two accounts of two namespaces in a binding.
 */
export function distinctKeys(names: readonly (string | undefined)[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, at) => {
    if (name === undefined) return String(at);
    return (counts.get(name) ?? 0) > 1 ? `${name}#${at}` : name;
  });
}
