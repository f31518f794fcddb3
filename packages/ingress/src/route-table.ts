import { Claims } from './claims.ts';
import { readingsOf } from './path-readings.ts';
import type { IngressRules, RouteTarget } from './read-ingress.ts';

/** Prefixes as a tree of path segments: a request walks down it once, however many rules there are. */
interface PathNode {
  readonly targets: Claims<RouteTarget>;
  readonly below: Map<string, PathNode>;
}

/** The paths of one host. */
interface HostRoutes {
  readonly exact: Map<string, Claims<RouteTarget>>;
  readonly prefixes: PathNode;
  readonly fallback: Claims<RouteTarget>;
}

const WILDCARD = '*.';

/**
 * All rules of all Ingresses as one table. The rule of a host goes before one of a wildcard, and that before one for
 * any host; then an exact path before a prefix, and a longer prefix before a shorter one. A default backend comes last:
 * of the Ingress that names the host, then of the first Ingress that has one. Two rules for the same: the older Ingress has it, and
 * of one the first. Ingresses come and go one by one: what a change takes grows with that Ingress, not with all.
 */
export class RouteTable {
  readonly #hosts = new Map<string, HostRoutes>();
  /** By what follows the first label: `.example.com`. */
  readonly #wildcards = new Map<string, HostRoutes>();
  readonly #any: HostRoutes = emptyRoutes();

  constructor(ingresses: Iterable<IngressRules> = []) {
    for (const one of ingresses) this.add(one);
  }

  add({ age, rules, hosts, fallback }: IngressRules): void {
    for (const { host, isExact, path, target } of rules) {
      const { exact, prefixes } = this.#routesOf(host);
      if (!isExact) nodeAt(prefixes, path).targets.claim(age, target);
      else {
        let claims = exact.get(path);
        if (claims === undefined) exact.set(path, (claims = new Claims()));
        claims.claim(age, target);
      }
    }
    if (fallback === undefined) return;
    for (const host of hosts) this.#routesOf(host).fallback.claim(age, fallback);
    this.#any.fallback.claim(age, fallback);
  }

  get isEmpty(): boolean {
    return this.#hosts.size === 0 && this.#wildcards.size === 0 && isUnused(this.#any);
  }

  /** As it was added. */
  remove({ age, rules, hosts }: IngressRules): void {
    for (const { host, isExact, path } of rules) {
      const { exact, prefixes } = this.#routesOf(host);
      if (!isExact) releaseAt(prefixes, segmentsOf(path), age);
      else {
        const claims = exact.get(path);
        claims?.release(age);
        if (claims?.isEmpty === true) exact.delete(path);
      }
    }
    this.#any.fallback.release(age);
    for (const host of hosts) {
      const routes = this.#routesOf(host);
      routes.fallback.release(age);
      const [map, key] = this.#placeOf(host);
      if (isUnused(routes)) map.delete(key);
    }
  }

  /**
   * Where a request goes; undefined: nobody said. `host` in lower case without a port, `path` as it is passed on.
   * Whoever is behind us may read it in any of its ways: where these lead to several backends, a rule for the one would
   * be gone around by the other.
   */
  route(host: string, path: string): RouteTarget | 'ambiguous' | undefined {
    const [plain, ...others] = readingsOf(path) ?? [];
    if (plain === undefined) return 'ambiguous';
    const target = this.find(host, plain);
    return others.every((other) => isSame(this.find(host, other), target)) ? target : 'ambiguous';
  }

  /** The same for one reading. */
  find(host: string, path: string): RouteTarget | undefined {
    const dot = host.indexOf('.');
    const levels = [this.#hosts.get(host), dot > 0 ? this.#wildcards.get(host.slice(dot)) : undefined, this.#any];
    for (const routes of levels) {
      const found = routes && (routes.exact.get(path)?.winner ?? longestPrefix(routes.prefixes, path));
      if (found !== undefined) return found;
    }
    for (const routes of levels) if (routes?.fallback.isEmpty === false) return routes.fallback.winner;
    return undefined;
  }

  #routesOf(host: string): HostRoutes {
    if (host === '') return this.#any;
    const [map, key] = this.#placeOf(host);
    let routes = map.get(key);
    if (routes === undefined) map.set(key, (routes = emptyRoutes()));
    return routes;
  }

  #placeOf(host: string): readonly [map: Map<string, HostRoutes>, key: string] {
    return host.startsWith(WILDCARD) ? [this.#wildcards, host.slice(1)] : [this.#hosts, host];
  }
}

function isSame(a: RouteTarget | undefined, b: RouteTarget | undefined): boolean {
  if (a === b) return true;
  if (a?.kind !== 'service' || b?.kind !== 'service') return false;
  return a.namespace === b.namespace && a.name === b.name && a.port === b.port;
}

function emptyRoutes(): HostRoutes {
  return { exact: new Map(), prefixes: emptyNode(), fallback: new Claims() };
}

function isUnused({ exact, prefixes, fallback }: HostRoutes): boolean {
  return exact.size === 0 && isBare(prefixes) && fallback.isEmpty;
}

function emptyNode(): PathNode {
  return { targets: new Claims(), below: new Map() };
}

function isBare({ targets, below }: PathNode): boolean {
  return targets.isEmpty && below.size === 0;
}

/** Of a prefix; a slash at its end says nothing. */
function segmentsOf(path: string): readonly string[] {
  return isRoot(path) ? [] : path.replace(/^\/|\/$/g, '').split('/');
}

/** The node of a prefix. */
function nodeAt(root: PathNode, path: string): PathNode {
  let node = root;
  for (const segment of segmentsOf(path)) {
    let below = node.below.get(segment);
    if (below === undefined) node.below.set(segment, (below = emptyNode()));
    node = below;
  }
  return node;
}

/** Takes back what was claimed, and the nodes that nobody needs then. */
function releaseAt(root: PathNode, segments: readonly string[], age: string): void {
  const way = [root];
  for (const segment of segments) {
    const below = way.at(-1)?.below.get(segment);
    if (below === undefined) return;
    way.push(below);
  }
  way.at(-1)?.targets.release(age);
  for (let at = way.length - 1; at > 0; at--) {
    const node = way[at];
    if (node === undefined || !isBare(node)) return;
    way[at - 1]?.below.delete(segments[at - 1] ?? '');
  }
}

function isRoot(path: string): boolean {
  return path === '/' || path === '';
}

function longestPrefix(root: PathNode, path: string): RouteTarget | undefined {
  let node: PathNode | undefined = root;
  let found = root.targets.winner;
  if (isRoot(path)) return found;
  for (let at = 1; node !== undefined && at <= path.length;) {
    const slash: number = path.indexOf('/', at);
    const end = slash === -1 ? path.length : slash;
    node = node.below.get(path.slice(at, end));
    found = node?.targets.winner ?? found;
    at = end + 1;
  }
  return found;
}
