/**
 * What a path says, as upstream's RequestInfo reads it:
 *
 *     /api/v1/namespaces/{ns}/pods/{name}/{subresource}/{rest…}
 *     /apis/{group}/{version}/{resource}/{name}
 *     /api/v1/watch/…                       the 1.2-era form of a watch
 */
export interface PathInfo {
  /** False for everything that is not below a group and version. */
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  /** For a namespace itself: its own name. */
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource, without a leading slash (`proxy`). */
  readonly rest: string;
  readonly legacyWatch: boolean;
}

const NOT_A_RESOURCE: PathInfo = {
  isResource: false,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  name: '',
  subresource: '',
  rest: '',
  legacyWatch: false,
};

// Below a namespace these two belong to the namespace itself.
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

export function parsePath(path: string): PathInfo {
  const parts = splitPath(path);
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return NOT_A_RESOURCE;
  const group = legacy ? '' : parts[1];
  const version = parts[legacy ? 1 : 2];
  let at = legacy ? 2 : 3;
  if (group === undefined || version === undefined || parts.length <= at) return NOT_A_RESOURCE;
  const legacyWatch = parts[at] === 'watch' && parts.length > at + 1;
  if (legacyWatch) at++;
  const namespaced = parts[at] === 'namespaces';
  const namespace = namespaced ? (parts[at + 1] ?? '') : '';
  if (namespaced && isInNamespace(parts, at)) at += 2;
  return {
    isResource: true,
    group,
    version,
    namespace,
    resource: parts[at] ?? '',
    name: parts[at + 1] ?? '',
    subresource: parts[at + 2] ?? '',
    rest: parts.length > at + 3 ? parts.slice(at + 3).join('/') : '',
    legacyWatch,
  };
}

/** Whether what follows `namespaces/{ns}` is a resource in it, rather than a part of the namespace itself. */
function isInNamespace(parts: readonly string[], at: number): boolean {
  const after = parts.length - at;
  return after > 3 || (after === 3 && !NAMESPACE_SUBRESOURCES.has(parts[at + 2] ?? ''));
}

/** The parts of a path, percent-decoded; a part that is not valid stays as it is. */
function splitPath(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) if (part !== '') parts.push(part);
  return path.includes('%') ? parts.map(decodePart) : parts;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
