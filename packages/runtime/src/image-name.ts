/**
 * An image's name in full, as containerd keeps it: `busybox` → `docker.io/library/busybox:latest`.
 * A digest is kept and gets no tag; a first part without dot, colon or `localhost` is no registry.
 */
export function normalizeImageName(name: string): string {
  const slash = name.indexOf('/');
  const first = slash === -1 ? '' : name.slice(0, slash);
  const hasRegistry = first.includes('.') || first.includes(':') || first === 'localhost';
  const registry = hasRegistry ? (first === 'index.docker.io' ? 'docker.io' : first) : 'docker.io';
  const rest = hasRegistry ? name.slice(slash + 1) : name;
  const path = registry === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest;
  const hasTag = path.includes('@') || path.lastIndexOf(':') > path.lastIndexOf('/');
  return `${registry}/${path}${hasTag ? '' : ':latest'}`;
}
