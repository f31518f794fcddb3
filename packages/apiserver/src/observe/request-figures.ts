/** What is counted of requests and watches, in upstream's names (k8s.io/apiserver, endpoints/metrics). Bounded. */
import type { RequestInfo } from '../request/info.ts';
import { CounterFamily, HistogramFamily } from './series.ts';
import type { Counter, Histogram, Values } from './series.ts';

const REQUEST_SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const OWN_SECONDS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const RESPONSE_BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/** From 50 kB in steps of 100 kB. */
const BODY_BYTES = Array.from({ length: 31 }, (_, step) => 50_000 + step * 100_000);
const EVENT_BYTES = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
const PLACE_LABELS = ['group', 'version', 'resource', 'subresource', 'scope', 'component'];
const EVENT_LABELS = ['group', 'version', 'resource'];
/** Upstream counts these by the HTTP method. */
const METHODS: { readonly [verb: string]: string } = { create: 'POST', update: 'PUT' };
const READS: ReadonlySet<string> = new Set(['get', 'list']);

/** Sorts of requests whose series are kept at hand. */
const SORTS_MAX = 4096;
/** Sorts of which a refusal is the first that is seen: callers may make names up, and what is shown of them is shown again and again. */
const REFUSED_MAX = 256;
const CREATES_MAX = 1024;
/** So many sorts of one resource are compared with what is asked, of so many resources. */
const SORTS_AT_HAND = 16;
const RESOURCES_MAX = 1024;
/** Parts of longer paths would keep all of them. */
const PATH_MAX = 512;

/** How one request went. */
export interface RequestFacts {
  readonly code: number;
  readonly seconds: number;
  /** Of these, for others: in a queue, for webhooks. */
  readonly waited: number;
  readonly dryRun: boolean;
  /** Of the body, where it came as bytes. */
  readonly bodyBytes: number | undefined;
  /** It goes on: how long it took shows when it ends. */
  readonly lasts: boolean;
}

/** What else says of which sort a request is, and whether its name may be made up. */
interface RequestWay {
  readonly dryRun: boolean;
  readonly isRefused: boolean;
}

/** The series of one sort of request, found once. */
interface RequestSeries {
  readonly labels: Values;
  readonly durations: Histogram | undefined;
  readonly own: Histogram | undefined;
  readonly sizes: Histogram | undefined;
  readonly bodies: Histogram | undefined;
  readonly codes: Map<number, Counter | undefined>;
  isAtHand: boolean;
}

/** One sort of request for a resource, and its series. */
interface Sort {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly subresource: string;
  readonly scope: string;
  readonly series: RequestSeries;
}

/** Of the frames of one sort of watch. */
export interface WatchMeter {
  sent(bytes: number): void;
}

export class RequestFigures {
  readonly #requests = new CounterFamily({
    name: 'apiserver_request_total',
    help: 'Requests answered.',
    labels: ['verb', 'dry_run', ...PLACE_LABELS, 'code'],
  });
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_request_duration_seconds',
      help: 'How long answers took.',
      labels: ['verb', 'dry_run', ...PLACE_LABELS],
    },
    REQUEST_SECONDS,
  );
  readonly #own = new HistogramFamily(
    {
      name: 'apiserver_request_sli_duration_seconds',
      help: 'How long answers took, without the time in queues and for webhooks.',
      labels: ['verb', ...PLACE_LABELS],
    },
    OWN_SECONDS,
  );
  readonly #sizes = new HistogramFamily(
    {
      name: 'apiserver_response_sizes',
      help: 'Bytes of what was answered to reads.',
      labels: ['verb', ...PLACE_LABELS],
    },
    RESPONSE_BYTES,
  );
  readonly #bodies = new HistogramFamily(
    { name: 'apiserver_request_body_size_bytes', help: 'Bytes of bodies.', labels: ['resource', 'verb', 'group'] },
    BODY_BYTES,
  );
  readonly #lasting = new CounterFamily({
    name: 'apiserver_longrunning_requests',
    help: 'Requests that go on as long as their clients like.',
    labels: ['verb', ...PLACE_LABELS],
    type: 'gauge',
  });
  readonly #events = new CounterFamily({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to watches.',
    labels: EVENT_LABELS,
  });
  readonly #eventSizes = new HistogramFamily(
    { name: 'apiserver_watch_events_sizes', help: 'Bytes of events sent to watches.', labels: EVENT_LABELS },
    EVENT_BYTES,
  );
  readonly #deprecated = new CounterFamily({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Versions on their way out that were asked for.',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    type: 'gauge',
  });
  readonly #terminations = new CounterFamily({
    name: 'apiserver_request_terminations_total',
    help: 'Requests that the server gave up to keep itself well.',
    labels: ['verb', ...PLACE_LABELS, 'code'],
  });
  readonly #aborts = new CounterFamily({
    name: 'apiserver_request_aborts_total',
    help: 'Replies that the server broke off.',
    labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope'],
  });
  readonly #handshakes = new CounterFamily({
    name: 'apiserver_tls_handshake_errors_total',
    help: 'Connections that ended before TLS had begun.',
    labels: [],
  });
  readonly #handshakeErrors = this.#handshakes.series([]);
  readonly #sorts = new Map<string, RequestSeries>();
  #refused = 0;
  readonly #byResource = new Map<string, Sort[]>();
  /** Of requests that make something: what they are about is the same object each time. */
  #creates = new Map<RequestInfo, RequestSeries>();

  /** A client broke off, or spoke something else than TLS. */
  handshakeFailed(): void {
    if (this.#handshakeErrors !== undefined) this.#handshakeErrors.count++;
  }

  /** A request has its answer. Where that is the answer to a read: where its size is to be told. */
  observe(info: RequestInfo, facts: RequestFacts): Histogram | undefined {
    const { code, seconds } = facts;
    // Paths that do not exist are made up by callers.
    if (code === 404 && !info.isResource) return undefined;
    const series = this.#seriesOf(info, { dryRun: facts.dryRun, isRefused: code >= 400 });
    if (series === undefined) return undefined;
    if (code < 400 && !facts.dryRun) this.#putAtHand(info, series);
    const { labels, codes, durations, own, sizes, bodies } = series;
    let counter = codes.get(code);
    if (counter === undefined) codes.set(code, (counter = this.#requests.series([...labels, String(code)])));
    if (counter !== undefined) counter.count++;
    if (facts.bodyBytes !== undefined) bodies?.observe(facts.bodyBytes);
    if (facts.lasts) return undefined;
    durations?.observe(seconds);
    own?.observe(Math.max(0, seconds - facts.waited));
    return sizes;
  }

  /** A request was not served, or not to its end, for the server's own sake: there was no room, or it took too long. */
  terminated(info: RequestInfo, code: 429 | 504): void {
    if (info.path.length > PATH_MAX) return;
    const [verb = '', , ...place] = labelsOf(info, false);
    // By whom it was, for paths too: the last label but the code.
    this.#terminations.add([verb, ...place.slice(0, -1), 'apiserver', String(code)]);
  }

  /** A reply had begun, and the server broke it off: what it comes from did, or did not come in its time. */
  aborted(info: RequestInfo): void {
    if (info.path.length > PATH_MAX) return;
    const [verb = '', , group = '', version = '', resource = '', subresource = '', scope = ''] = labelsOf(info, false);
    this.#aborts.add([verb, group, version, resource, info.isResource ? subresource : '', scope]);
  }

  /** A request goes on. The answer is to be called when it ends, once. */
  lasting(info: RequestInfo, now: () => number, since: number): () => void {
    const [verb = '', , ...place] = labelsOf(info, false);
    const gauge = this.#lasting.series([verb === 'GET' ? 'CONNECT' : verb, ...place]);
    if (gauge !== undefined) gauge.count++;
    return () => {
      if (gauge !== undefined) gauge.count--;
      this.#seriesOf(info, { dryRun: false, isRefused: false })?.durations?.observe(now() - since);
    };
  }

  watchMeter({ group, version, resource }: Pick<RequestInfo, 'group' | 'version' | 'resource'>): WatchMeter {
    const labels = [group, version, resource];
    const events = this.#events.series(labels);
    const sizes = this.#eventSizes.series(labels);
    return {
      sent(bytes) {
        if (events !== undefined) events.count++;
        sizes?.observe(bytes);
      },
    };
  }

  /** A version was asked for that is on its way out; none has a release yet in which it is gone. */
  deprecated({ group, version, resource, subresource }: RequestInfo): void {
    this.#deprecated.set([group, version, resource, subresource, ''], 1);
  }

  render(out: string[]): void {
    const counted = [this.#requests, this.#lasting, this.#events, this.#deprecated, this.#handshakes];
    for (const family of [...counted, this.#terminations, this.#aborts]) family.render(out);
    for (const family of [this.#durations, this.#own, this.#sizes, this.#bodies, this.#eventSizes]) family.render(out);
  }

  /** Undefined: of a sort that is refused, and of which nothing else is known. */
  #seriesOf(info: RequestInfo, how: RequestWay): RequestSeries | undefined {
    if (how.dryRun || info.verb !== 'create' || info.name !== '') return this.#findSeries(info, how);
    const kept = this.#creates.get(info);
    if (kept !== undefined) return kept;
    const series = this.#findSeries(info, how);
    if (series === undefined) return undefined;
    if (this.#creates.size >= CREATES_MAX) this.#creates = new Map();
    this.#creates.set(info, series);
    return series;
  }

  /** What is asked again and again is found without a text of its own. */
  #findSeries(info: RequestInfo, how: RequestWay): RequestSeries | undefined {
    return (how.dryRun || !info.isResource ? undefined : this.#atHand(info)) ?? this.#namedSeries(info, how);
  }

  #atHand(info: RequestInfo): RequestSeries | undefined {
    const { verb, group, version, resource, subresource } = info;
    const sorts = this.#byResource.get(resource);
    if (sorts === undefined) return undefined;
    const scope = scopeOf(info);
    for (const sort of sorts) {
      if (sort.verb !== verb || sort.subresource !== subresource || sort.scope !== scope) continue;
      if (sort.group === group && sort.version === version) return sort.series;
    }
    return undefined;
  }

  /** Of what was answered well: names that callers make up are not. */
  #putAtHand(info: RequestInfo, series: RequestSeries): void {
    if (series.isAtHand || !info.isResource || info.path.length > PATH_MAX) return;
    const { verb, group, version, resource, subresource } = info;
    let sorts = this.#byResource.get(resource);
    if (sorts === undefined) {
      if (this.#byResource.size >= RESOURCES_MAX) return;
      this.#byResource.set(resource, (sorts = []));
    }
    if (sorts.length >= SORTS_AT_HAND) return;
    series.isAtHand = true;
    sorts.push({ verb, group, version, subresource, scope: scopeOf(info), series });
  }

  #namedSeries(info: RequestInfo, { dryRun, isRefused }: RequestWay): RequestSeries | undefined {
    const { verb, group, version, resource, subresource, path } = info;
    const key = info.isResource
      ? `${verb} ${group} ${version} ${resource} ${subresource} ${scopeOf(info)} ${dryRun}`
      : `${path} ${dryRun}`;
    const known = this.#sorts.get(key);
    if (known !== undefined) return known;
    if (isRefused && (path.length > PATH_MAX || this.#refused++ >= REFUSED_MAX)) return undefined;
    const labels = labelsOf(info, dryRun);
    const [method = '', , ...place] = labels;
    const isRead = READS.has(verb);
    const series = {
      labels,
      durations: this.#durations.series(labels),
      own: verb === 'watch' ? undefined : this.#own.series([method, ...place]),
      sizes: isRead ? this.#sizes.series([method, ...place]) : undefined,
      bodies: isRead || !info.isResource ? undefined : this.#bodies.series([resource, verb, group]),
      codes: new Map<number, Counter | undefined>(),
      isAtHand: false,
    };
    if (this.#sorts.size < SORTS_MAX) this.#sorts.set(key, series);
    return series;
  }
}

function labelsOf(info: RequestInfo, dryRun: boolean): readonly string[] {
  const { group, version, resource, subresource, verb } = info;
  const dry = dryRun ? 'All' : '';
  if (!info.isResource) return ['GET', dry, '', '', '', info.path, '', ''];
  return [METHODS[verb] ?? verb.toUpperCase(), dry, group, version, resource, subresource, scopeOf(info), 'apiserver'];
}

/** One object, those of a namespace, or those of the cluster. */
function scopeOf({ verb, name, namespace }: RequestInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
