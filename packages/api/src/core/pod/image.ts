/**
 * The tag that an image reference asks for: `latest` where it names neither tag nor digest, empty where it
 * names only a digest (or nothing at all).
 */
export function imageTag(reference: string): string {
  if (reference === '') return '';
  const at = reference.indexOf('@');
  const name = at === -1 ? reference : reference.slice(0, at);
  const colon = name.lastIndexOf(':');
  if (colon > name.lastIndexOf('/')) return name.slice(colon + 1);
  return at === -1 ? 'latest' : '';
}

/** What an unset imagePullPolicy means for this image. */
export function defaultPullPolicy(reference: string): 'Always' | 'IfNotPresent' {
  return imageTag(reference) === 'latest' ? 'Always' : 'IfNotPresent';
}
