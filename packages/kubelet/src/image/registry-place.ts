/** Which place of a registry (`*.example.com:5000/team`) is meant for which repository: as upstream's keyring tells. Pure. */

/** Of a host's name, and of one of its labels: what is longer is a pattern for none. */
const HOST_CHARACTERS_MAX = 253;
const LABEL_CHARACTERS_MAX = 63;

interface Place {
  readonly host: string;
  readonly port: string;
  /** With its slash; empty: none. */
  readonly path: string;
}

/** Docker Hub, as configurations name it. */
const HUB = 'index.docker.io';

/**
 * The entries that are meant for a repository, named in full; those for longer paths come before those for shorter ones of the same
 * host. Docker Hub's are for its repositories where none is named by its host.
 */
export function entriesFor<T extends { readonly place: string }>(entries: readonly T[], repository: string): T[] {
  const placed = entries.map((entry) => ({ entry, place: bare(entry.place) }));
  const found = placed.filter(({ place }) => isMeantFor(place, repository));
  const hub = found.length === 0 && repository.startsWith('docker.io/');
  return (hub ? placed.filter(({ place }) => place === HUB) : found)
    .toSorted((a, b) => (a.place < b.place ? 1 : a.place > b.place ? -1 : 0))
    .map(({ entry }) => entry);
}

/**
 * Whether a place is meant for a repository: hosts have as many labels and match one by one (`*`, `e[a-z]`), ports are the same,
 * and the path is what the repository's begins with. What cannot be read is meant for none.
 */
export function isMeantFor(place: string, repository: string): boolean {
  const [wanted, found] = [read(place), read(repository)];
  if (wanted === undefined || found === undefined || wanted.port !== found.port) return false;
  const [labels, parts] = [wanted.host.split('.'), found.host.split('.')];
  if (labels.length !== parts.length || !found.path.startsWith(wanted.path)) return false;
  return labels.every((label, i) => matches(label, parts[i] ?? ''));
}

/** `https://index.docker.io/v1/` → `index.docker.io`: without what only says how it is spoken to. */
function bare(place: string): string {
  const [, address = ''] = /^(?:https?:\/\/)?(.*)$/s.exec(place) ?? [];
  const slash = address.indexOf('/');
  if (slash === -1) return address;
  const [host, path] = [address.slice(0, slash), address.slice(slash).replace(/^\/v[12]\//, '/')];
  return path === '/' ? host : host + path;
}

/** What a host in an address may be written with, as Go reads addresses. */
const HOST = /^(?:\[([^\]]*)\]|([\w\-.~!$&'()*+,;=<>"[\]]|[^\0-\x7f])*)(?::(\d*))?$/;

function read(address: string): Place | undefined {
  const [, authority = '', rest = ''] = /^([^/?#]*)([^?#]*)/.exec(address) ?? [];
  const whole = authority.slice(authority.lastIndexOf('@') + 1);
  const found = HOST.exec(whole);
  const path = decoded(rest);
  if (found === null || path === undefined) return undefined;
  const [, bracketed, , port] = found;
  const host = bracketed ?? (port === undefined ? whole : whole.slice(0, whole.lastIndexOf(':')));
  return bracketed === undefined && host.startsWith('[') ? undefined : { host, port: port ?? '', path };
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Percent signs that stand for nothing.
    return undefined;
  }
}

/** Any characters, or one that passes. */
type Step = 'any' | ((character: string) => boolean);

/** Go's `filepath.Match`, of one label: each character of it is looked at once for each step at the most. */
function matches(pattern: string, label: string): boolean {
  if (pattern.length > HOST_CHARACTERS_MAX || label.length > LABEL_CHARACTERS_MAX) return pattern === label;
  const steps = stepsOf(pattern);
  if (steps === undefined) return false;
  let [step, at] = [0, 0];
  let [lastAny, from] = [-1, 0];
  while (at < label.length) {
    const next = steps[step];
    if (next === 'any') [lastAny, from] = [step++, at];
    else if (next?.(label[at] ?? '') === true) [step, at] = [step + 1, at + 1];
    else if (lastAny === -1) return false;
    else [step, at] = [lastAny + 1, ++from];
  }
  return steps.slice(step).every((left) => left === 'any');
}

/** Undefined: it is no pattern. */
function stepsOf(pattern: string): Step[] | undefined {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at] ?? '';
    if (one === '*') {
      if (steps.at(-1) !== 'any') steps.push('any');
    } else if (one === '[') {
      const found = readClass(pattern, at + 1);
      if (found === undefined) return undefined;
      steps.push(found.test);
      at = found.end;
    } else steps.push((character) => character === one);
  }
  return steps;
}

/** What stands between brackets, `a-z0`, from behind the first on to where the other stands. */
function readClass(
  pattern: string,
  from: number,
): { readonly test: (character: string) => boolean; readonly end: number } | undefined {
  const ranges: (readonly [low: string, high: string])[] = [];
  let at = from;
  for (; pattern[at] !== ']' || ranges.length === 0; at++) {
    const low = pattern[at];
    const isRange = pattern[at + 1] === '-';
    const high = isRange ? pattern[(at += 2)] : low;
    for (const end of [low, high]) if (end === undefined || end === ']' || end === '-') return undefined;
    ranges.push([low ?? '', high ?? '']);
  }
  return { test: (character) => ranges.some(([low, high]) => character >= low && character <= high), end: at };
}
