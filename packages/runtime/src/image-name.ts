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
  return `${registry}/${taggedImageName(path)}`;
}

/** An image's name with the tag that is meant where it has neither tag nor digest: `busybox` → `busybox:latest`. */
export function taggedImageName(name: string): string {
  const hasTag = name.includes('@') || name.lastIndexOf(':') > name.lastIndexOf('/');
  return hasTag ? name : `${name}:latest`;
}

/** The repository of an image, named in full: `busybox:1` → `docker.io/library/busybox`. */
export function repositoryOf(name: string): string {
  const [full = ''] = normalizeImageName(name).split('@');
  const colon = full.lastIndexOf(':');
  return colon > full.lastIndexOf('/') ? full.slice(0, colon) : full;
}

/** `registry:port/path/of/name:tag@algorithm:digest`, as the distribution specification writes it. */
const REFERENCE =
  /^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$/;
const REFERENCE_MAX = 512;

/** Whether an image can have this name, in full or in short. */
export function isImageName(name: string): boolean {
  return name.length <= REFERENCE_MAX && REFERENCE.test(name);
}
