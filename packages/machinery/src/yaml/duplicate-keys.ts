/** Repeated keys of a YAML document as the one error that upstream's strict conversion gives. */
export function duplicateKeysError(problems: readonly string[]): string {
  return `yaml: unmarshal errors:\n  ${problems.join('\n  ')}`;
}
