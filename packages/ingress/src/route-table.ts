import { readingsOf } from './path-readings.ts';
import type { IngressRules, RouteTarget } from './read-ingress.ts';

/** Prefixes as a tree of path segments: a request walks down it once, however many rules there are. */
interface PathNode {
  target?: RouteTarget;
  readonly below: Map<string, PathNode>;
}

/** The paths of one host. */
interface HostRoutes {
  readonly exact: Map<string, RouteTarget>;
  readonly prefixes: PathNode;
  fallback?: RouteTarget;
}

const WILDCARD = '*.';

/**
 * All rules of all Ingresses as one table. The rule of a host goes before one of a wildcard, and that before one for
 * any host; then an exact path before a prefix, and a longer prefix before a shorter one. A default backend comes last:
 * of the Ingress that names the host, then of the first Ingress that has one. Two rules for the same: the first has it.
 */
export class RouteTable {
  readonly #hosts = new Map<string, HostRoutes>();
  /** By what follows the first label: `.example.com`. */
  readonly #wildcards = new Map<string, HostRoutes>();
  readonly #any: HostRoutes = emptyRoutes();

  /** Those whose rules win come first. */
  constructor(ingresses: Iterable<IngressRules>) {
    for (const { rules, hosts, fallback } of ingresses) {
      for (const { host, isExact, path, target } of rules) {
        const { exact, prefixes } = this.#routesOf(host);
        if (!isExact) nodeAt(prefixes, path).target ??= target;
        else if (!exact.has(path)) exact.set(path, target);
      }
      if (fallback === undefined) continue;
      for (const host of hosts) this.#routesOf(host).fallback ??= fallback;
      this.#any.fallback ??= fallback;
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
      const found = routes && (routes.exact.get(path) ?? longestPrefix(routes.prefixes, path));
      if (found !== undefined) return found;
    }
    return levels.find((routes) => routes?.fallback !== undefined)?.fallback;
  }

  #routesOf(host: string): HostRoutes {
    if (host === '') return this.#any;
    const isWildcard = host.startsWith(WILDCARD);
    const [map, key] = isWildcard ? [this.#wildcards, host.slice(1)] : [this.#hosts, host];
    let routes = map.get(key);
    if (routes === undefined) map.set(key, (routes = emptyRoutes()));
    return routes;
  }
}

function isSame(a: RouteTarget | undefined, b: RouteTarget | undefined): boolean {
  if (a === b) return true;
  if (a?.kind !== 'service' || b?.kind !== 'service') return false;
  return a.namespace === b.namespace && a.name === b.name && a.port === b.port;
}

function emptyRoutes(): HostRoutes {
  return { exact: new Map(), prefixes: { below: new Map() } };
}

/** The node of a prefix; a slash at its end says nothing. */
function nodeAt(root: PathNode, path: string): PathNode {
  let node = root;
  for (const segment of path.replace(/^\/|\/$/g, '').split('/')) {
    if (segment === '' && node === root && isRoot(path)) break;
    let below = node.below.get(segment);
    if (below === undefined) node.below.set(segment, (below = { below: new Map() }));
    node = below;
  }
  return node;
}

function isRoot(path: string): boolean {
  return path === '/' || path === '';
}

function longestPrefix(root: PathNode, path: string): RouteTarget | undefined {
  let node: PathNode | undefined = root;
  let found = root.target;
  if (isRoot(path)) return found;
  for (let at = 1; node !== undefined && at <= path.length;) {
    const slash: number = path.indexOf('/', at);
    const end = slash === -1 ? path.length : slash;
    node = node.below.get(path.slice(at, end));
    found = node?.target ?? found;
    at = end + 1;
  }
  return found;
}
