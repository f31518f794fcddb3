/** Why everything that was written was written: chains of causes as the trace of a cluster tells them. */
import assert from 'node:assert/strict';
import { readText } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import type { TraceHop, TraceHopList } from '@binnacle/trace';

/** Where the trace is served. */
export const TRACE_ROOT = '/apis/trace.binnacle.dev/v1';
/** Who asks by himself: the one who works with the cluster, and the API server's own loops. */
const CLIENT = /^(kubernetes-admin|system:apiserver)$/;
const PAGE = 5_000;

/** What is told late: a component of another process reports its hops a moment after it acted. */
const TOLD_MS = 10_000;
/** What may come of time alone: the machines and the cluster's own keeping. */
const OF_TIME: ReadonlySet<string> = new Set(['leases', 'nodes', 'servicecidrs', 'serviceaccounts', 'ipaddresses']);

/** Where a chain of causes ends. */
export interface ChainEnd {
  readonly type: string;
  readonly last: TraceHop;
}

/** What the commits of a cluster come from. */
export interface CausesFound {
  readonly commits: number;
  /** Commits whose chain ends in somebody's request. */
  readonly ofClients: number;
  /** A line for each commit whose chain ends in neither a request of a client nor a timer. */
  readonly wrong: readonly string[];
  /** A line for each commit of what people made, or of what came of it, whose chain ends in a timer. */
  readonly byTime: readonly string[];
}

/** Follows the causes of a hop to their end. Fails where one is named that is nowhere, or where they go round. */
export function endOf(byName: ReadonlyMap<string, TraceHop>, first: TraceHop): ChainEnd {
  let hop = first;
  for (let steps = 0; steps < 10_000; steps++) {
    const { cause } = hop;
    if (cause.type !== 'hop') return { type: cause.type, last: hop };
    hop = byName.get(cause.hop) ?? assert.fail(`${hop.title}: its cause ${cause.hop} is nowhere`);
  }
  assert.fail(`the causes of ${first.title} go round`);
}

/** Lines of a stream of the trace, each with its newest number. */
export async function* streamed(wire: Wire, path: string): AsyncGenerator<{ type: string; object: TraceHop }> {
  const reply = await wire.raw({ path: `${TRACE_ROOT}${path}`, signal: AbortSignal.timeout(TOLD_MS) });
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of reply.body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as { type: string; object: TraceHop };
  }
}

/** All hops that the ring has. */
export async function allHops(wire: Wire): Promise<TraceHop[]> {
  const hops: TraceHop[] = [];
  for (let token = ''; ;) {
    const more = token === '' ? '' : `&continue=${token}`;
    const page = JSON.parse(await readText(wire, `${TRACE_ROOT}/hops?limit=${PAGE}${more}`)) as TraceHopList;
    assert.equal(page.ring.forgotten.changes, 0, 'the ring keeps every write of the test');
    hops.push(...page.items);
    token = page.metadata.continue ?? '';
    if (token === '') return hops;
  }
}

/**
 * Follows each write that there is by now to its end, again with every hop that is told later, until all are explained or
 * nothing more is told in time.
 */
export async function causesOfNow(wire: Wire): Promise<CausesFound> {
  const status = JSON.parse(await readText(wire, `${TRACE_ROOT}/hops?limit=1`)) as TraceHopList;
  const until = Number(status.ring.currentRevision);
  let found = causesOf(await allHops(wire), until);
  if (isExplained(found)) return found;
  const news = streamed(
    wire,
    `/hops?watch=true&type=reconcile,kubelet,decision&resourceVersion=${status.metadata.resourceVersion}`,
  );
  try {
    for await (const { type } of news) {
      if (type !== 'BOOKMARK') continue;
      found = causesOf(await allHops(wire), until);
      if (isExplained(found)) return found;
    }
  } catch (error) {
    // Nothing was told for so long that nothing will be.
    if (!(error instanceof Error) || !/Timeout|Abort/.test(error.name)) throw error;
  }
  return found;
}

/** Follows every commit up to a revision to its end. */
export function causesOf(hops: readonly TraceHop[], until = Infinity): CausesFound {
  const byName = new Map(hops.map((hop) => [hop.metadata.name, hop]));
  const commits = hops.filter(({ type, revision }) => type === 'commit' && Number(revision) <= until);
  const ends = commits.map((commit) => ({ commit, ...endOf(byName, commit) }));
  const told = ({ commit: { title, object }, type, last }: ChainEnd & { readonly commit: TraceHop }): string =>
    `${title} of ${object?.resource}/${object?.name}: ${type} at ${last.title} by ${last.user ?? last.component}, ${JSON.stringify(last.cause)}`;
  return {
    commits: commits.length,
    ofClients: ends.filter(isOfClient).length,
    wrong: ends.filter((end) => end.type !== 'timer' && !isOfClient(end)).map(told),
    byTime: ends.filter(({ commit, last }) => isUnexpected(last) && !isKeeping(commit)).map(told),
  };
}

/** A component that passes no cause on would be taken for a client: it must be somebody who may ask by himself. */
function isOfClient({ type, last }: ChainEnd): boolean {
  return type === 'client' && CLIENT.test(last.user ?? '');
}

/** A cluster has a start, and controllers put work off until it is time for it; nothing else done for people comes of time. */
function isUnexpected({ cause }: TraceHop): boolean {
  return cause.type === 'timer' && !/^(retry of |what a cluster starts with$)/.test(cause.what);
}

/** The machines and the cluster's own keeping, and what is told of them. */
function isKeeping({ object }: TraceHop): boolean {
  const { resource = '', name = '' } = object ?? {};
  return OF_TIME.has(resource) || (resource === 'events' && name.startsWith('node-'));
}

/** What is not told yet looks as if it came of time. */
function isExplained({ wrong, byTime }: CausesFound): boolean {
  return wrong.length + byTime.length === 0;
}
