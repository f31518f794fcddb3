import { VERBOSITY_PATH } from '@binnacle/machinery';

/** What the kubelet's port serves below which path, who may ask for it, and what is answered where it is switched off. */

/** Of the first part of a path. */
interface ServedPath {
  /** The subresources of `nodes` that stand for it: who has one of them may. */
  readonly subresources: readonly string[];
  readonly methods: readonly string[];
  /** Without an API server and an authority anybody on loopback may read it. */
  readonly isOpen?: true;
  /** Where `enableDebuggingHandlers` is off: it is said so, or there is nothing. */
  readonly withoutDebugging?: 'told' | 'absent';
}

const GET = ['GET'];
const POST = ['POST'];
const BOTH = ['GET', 'POST'];
const PROXY = ['proxy'];

const PATHS: { readonly [head: string]: ServedPath } = {
  attach: { subresources: PROXY, methods: BOTH, withoutDebugging: 'told' },
  checkpoint: { subresources: ['checkpoint'], methods: POST, withoutDebugging: 'absent' },
  configz: { subresources: ['configz', 'proxy'], methods: GET, withoutDebugging: 'absent' },
  containerLogs: { subresources: PROXY, methods: GET, isOpen: true, withoutDebugging: 'told' },
  debug: { subresources: PROXY, methods: ['GET', 'PUT'] },
  exec: { subresources: PROXY, methods: BOTH, withoutDebugging: 'told' },
  flagz: { subresources: ['configz'], methods: GET, withoutDebugging: 'absent' },
  healthz: { subresources: ['healthz', 'proxy'], methods: GET, isOpen: true },
  logs: { subresources: ['log'], methods: GET, withoutDebugging: 'told' },
  metrics: { subresources: ['metrics'], methods: GET, isOpen: true },
  pods: { subresources: ['pods', 'proxy'], methods: GET, isOpen: true },
  portForward: { subresources: PROXY, methods: BOTH, withoutDebugging: 'told' },
  // Ours: manifests of static pods that cannot be used.
  refusedmanifests: { subresources: PROXY, methods: GET, isOpen: true },
  run: { subresources: PROXY, methods: POST, withoutDebugging: 'told' },
  runningpods: { subresources: ['pods', 'proxy'], methods: GET, isOpen: true, withoutDebugging: 'told' },
  stats: { subresources: ['stats'], methods: GET, isOpen: true },
  statusz: { subresources: ['statusz'], methods: GET, withoutDebugging: 'absent' },
};

/** The subresources of `nodes` that a path stands for: who has one of them may. */
export function subresourcesOf(path: string): readonly string[] {
  return servedAt(path)?.subresources ?? PROXY;
}

/** Whether anybody on loopback may read it where nobody can be told apart. */
export function isOpenPath(path: string): boolean {
  return servedAt(path)?.isOpen === true;
}

/** Why a path is not served as the kubelet is configured, or not by this method; undefined: it may be. */
export function pathRefusal(
  path: string,
  of: { readonly method: string; readonly hasDebugging: boolean; readonly hasDebugFlags: boolean },
): { readonly status: number; readonly text: string; readonly allow?: string } | undefined {
  const served = servedAt(path);
  if (served === undefined) return NOT_FOUND;
  if (!of.hasDebugging) {
    if (served.withoutDebugging === 'told' || isProfile(path)) return refused('Debug endpoints are disabled.');
    if (served.withoutDebugging === 'absent' || path.startsWith('/debug/')) return NOT_FOUND;
  }
  // It has an answer of its own to what it does not take.
  if (path === VERBOSITY_PATH) return of.hasDebugFlags ? undefined : refused('flags endpoint is disabled.');
  const disabled = disabledAt(path);
  if (disabled !== '') return refused(disabled);
  if (served.methods.includes(of.method)) return undefined;
  return { status: 405, text: 'Method Not Allowed', allow: served.methods.join(', ') };
}

const NOT_FOUND = { status: 404, text: '404 page not found' };

/** What nobody can switch on: upstream's words for where it is off. */
function disabledAt(path: string): string {
  if (/^\/logs(?:\/|$)/.test(path)) return 'logs endpoint is disabled.';
  return isProfile(path) ? 'profiling endpoint is disabled.' : '';
}

function isProfile(path: string): boolean {
  return path.startsWith('/debug/pprof/');
}

function refused(text: string): { readonly status: number; readonly text: string } {
  return { status: 405, text };
}

function servedAt(path: string): ServedPath | undefined {
  const head = path.split('/')[1] ?? '';
  return Object.hasOwn(PATHS, head) ? PATHS[head] : undefined;
}
