import { messageOf } from '@binnacle/base';
import { changeVerbosity, flagz, statusz, StatusError, VERBOSITY_PATH } from '@binnacle/machinery';
import type { ZPage } from '@binnacle/machinery';
import { LogError, StreamRefusal } from '../errors.ts';
import type { Kubelet } from '../kubelet.ts';
import { parseLogOptions } from '../logs/options.ts';
import { containerMetrics } from './container-metrics.ts';
import { EXPOSITION_TYPE } from './exposition.ts';
import { cpuAndMemoryOf } from './cpu-and-memory.ts';
import { healthMetrics } from './health-metrics.ts';
import { metricsText } from './metrics.ts';
import { pathRefusal } from './paths.ts';
import { probeMetrics } from './probe-metrics.ts';
import { resourceMetrics } from './resource-metrics.ts';
import { shownConfig } from './shown-config.ts';
import { statsSummary } from './stats.ts';
import { volumeMetrics } from './volume-metrics.ts';

/** A request to the kubelet's server, after authentication and authorisation. */
export interface ServerRequest {
  readonly method: string;
  /** Decoded, without query. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  /** In which form the answer is wanted, where it has several. Absent: that is not said. */
  readonly accept?: string;
  /** What it brings. Absent: nothing. */
  readonly text?: () => Promise<string>;
  readonly signal?: AbortSignal;
}

/** What to send; a stream ends with the request's signal. */
export interface ServerAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | AsyncIterable<Uint8Array>;
  /** The methods that there are, where it is another. */
  readonly allow?: string;
  /** Of the header `Warning`. */
  readonly warning?: string;
}

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json';

/** Why a path is not served as this kubelet is configured, or not by this method; undefined: it may be. */
export function refusalOf(
  { config }: Pick<Kubelet, 'config'>,
  { path, method }: Pick<ServerRequest, 'path' | 'method'>,
): ReturnType<typeof pathRefusal> {
  const { hasDebugging, hasDebugFlags } = config;
  return pathRefusal(path, { method, hasDebugging, hasDebugFlags });
}

/** What the kubelet's port answers. Pure of sockets: an API server in the same process may ask it directly. */
export async function answerRequest(kubelet: Kubelet, request: ServerRequest, now: number): Promise<ServerAnswer> {
  const { status, text: why, allow } = refusalOf(kubelet, request) ?? {};
  if (status !== undefined) return { ...text(status, why ?? ''), ...(allow === undefined ? {} : { allow }) };
  const [, head = '', namespace = '', pod = '', container = ''] = request.path.split('/');
  switch (head) {
    case 'attach':
    case 'exec':
    case 'portForward':
      return text(400, 'Upgrade request required');
    case 'checkpoint':
      return checkpoint(kubelet, request, { namespace, pod, container });
    case 'configz':
      return json({ kubeletconfig: shownConfig(kubelet.config) });
    case 'debug':
      return flags(kubelet, request);
    case 'containerLogs':
      return logs(kubelet, { ...request, namespace, pod, container, now });
    case 'flagz':
    case 'statusz':
      return namespace === '' ? aboutItself(kubelet, { ...request, page: head, now }) : text(404, '404 page not found');
    case 'healthz':
      return health(kubelet, { ...request, which: namespace });
    case 'metrics':
      return metrics(kubelet, namespace, now);
    case 'pods':
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: kubelet.pods().map(asPod) });
    case 'refusedmanifests': {
      const refused = [...kubelet.refusedManifests()].map(([file, reason]) => ({ file, reason }));
      return json({ items: refused });
    }
    case 'run':
      return run(kubelet, request);
    case 'runningpods':
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: kubelet.pods().flatMap(asRunning) });
    case 'stats':
      return stats(kubelet, { ...request, which: namespace, now });
    default:
      return text(404, '404 page not found');
  }
}

/** What upstream's page names, of what is served before it. */
const STATUSZ_PATHS = ['/configz', '/flagz', '/healthz', '/metrics'];

async function aboutItself(
  { flags: given, startedAt, config }: Kubelet,
  of: ServerRequest & { readonly page: 'flagz' | 'statusz'; readonly now: number },
): Promise<ServerAnswer> {
  const { page, now, accept = '' } = of;
  const request = { component: 'kubelet', accept };
  const facts = { startedAt, now, version: config.version, paths: STATUSZ_PATHS };
  if (page === 'flagz' && given === undefined) return text(404, '404 page not found');
  try {
    const made: ZPage = page === 'statusz' ? await statusz(request, facts) : await flagz(request, given ?? new Map());
    return { status: 200, ...made };
  } catch (error) {
    if (error instanceof StatusError) return text(error.httpCode, error.message);
    throw error;
  }
}

async function flags({ logLevel }: Kubelet, { path, method, text: read }: ServerRequest): Promise<ServerAnswer> {
  if (path !== VERBOSITY_PATH || logLevel === undefined) return text(404, '404 page not found');
  const { code, text: said } = await changeVerbosity(logLevel, { method, text: read ?? (async () => '') });
  return { status: code, contentType: 'text/plain', body: said };
}

function health(kubelet: Kubelet, { which, query }: ServerRequest & { readonly which: string }): ServerAnswer {
  const isVerbose = query.has('verbose');
  const excluded = query.has('exclude') ? [query.get('exclude') ?? ''] : [];
  const answer = which === '' ? kubelet.health.all({ isVerbose, excluded }) : kubelet.health.one(which);
  return answer === undefined ? text(404, '404 page not found') : text(answer.status, answer.text);
}

async function stats(
  kubelet: Kubelet,
  { which, query, now }: ServerRequest & { readonly which: string; readonly now: number },
): Promise<ServerAnswer> {
  if (which !== 'summary') return text(404, '404 page not found');
  const summary = await statsSummary(kubelet, now);
  return json(query.get('only_cpu_and_memory') === 'true' ? cpuAndMemoryOf(summary) : summary);
}

/** The kubelet's own metrics, or those below that path. */
async function metrics(kubelet: Kubelet, which: string, now: number): Promise<ServerAnswer> {
  const bodies: { readonly [which: string]: () => string | Promise<string> } = {
    '': async () => metricsText(kubelet) + (await volumeMetrics(kubelet)),
    cadvisor: () => containerMetrics(kubelet, now),
    probes: () => probeMetrics(kubelet),
    resource: () => resourceMetrics(kubelet, now),
    slis: () => healthMetrics(kubelet.health),
  };
  const body = Object.hasOwn(bodies, which) ? await bodies[which]?.() : undefined;
  return body === undefined ? text(404, '404 page not found') : { status: 200, contentType: EXPOSITION_TYPE, body };
}

const NO_TIMEOUT = 0;

/** `/run/<namespace>/<pod>[/<uid>]/<container>`: a command given as one text; its output comes back as one. */
async function run(kubelet: Kubelet, { path, query }: ServerRequest): Promise<ServerAnswer> {
  const [namespace = '', pod = '', third = '', fourth, ...more] = path.split('/').slice(2);
  if (third === '' || more.length > 0) return text(404, '404 page not found');
  const [uid, container] = fourth === undefined ? ['', third] : [third, fourth];
  const command = (query.get('cmd') ?? '').split(' ').filter((word) => word !== '');
  if (command.length === 0) return text(400, 'cmd is required');
  try {
    const id = kubelet.streams.container({ namespace, pod, container, uid });
    const { stdout, stderr, exitCode } = await kubelet.streams.exec(id, command, NO_TIMEOUT);
    const decoder = new TextDecoder();
    const output = decoder.decode(stdout) + decoder.decode(stderr);
    return exitCode === 0
      ? { status: 200, contentType: JSON_TYPE, body: output }
      : text(500, `command '${command.join(' ')}' exited with ${exitCode}: ${output}`);
  } catch (error) {
    if (error instanceof StreamRefusal) return text(error.httpCode, error.message);
    return text(500, messageOf(error));
  }
}

/** Writes a container down; the answer names the file on the node. Upstream's answers to what is wrong. */
async function checkpoint(
  kubelet: Kubelet,
  { query }: ServerRequest,
  of: { readonly namespace: string; readonly pod: string; readonly container: string },
): Promise<ServerAnswer> {
  const { namespace, pod, container } = of;
  const wanted = query.get('timeout') ?? '0';
  if (!/^[+-]?\d{1,18}$/.test(wanted))
    return text(404, `cannot parse value of timeout parameter: ${JSON.stringify(wanted.slice(0, 80))}`);
  try {
    return json({ items: [await kubelet.streams.checkpoint({ ...of, uid: '' }, Number(wanted))] });
  } catch (error) {
    if (error instanceof StreamRefusal && error.httpCode === 404) return text(404, error.message);
    return text(500, `checkpointing of ${namespace}/${pod}/${container} failed (${messageOf(error)})`);
  }
}

function logs(
  kubelet: Kubelet,
  of: ServerRequest & {
    readonly namespace: string;
    readonly pod: string;
    readonly container: string;
    readonly now: number;
  },
): ServerAnswer {
  try {
    const { namespace, pod, container, signal } = of;
    const options = parseLogOptions(of.query, of.now);
    const body = kubelet.logs({ namespace, pod, container, options, ...(signal === undefined ? {} : { signal }) });
    return { status: 200, contentType: TEXT, body };
  } catch (error) {
    if (error instanceof LogError) return text(error.httpCode, error.message);
    return text(500, messageOf(error));
  }
}

function asPod(of: ReturnType<Kubelet['pods']>[number]): object {
  return { ...of.pod, status: { ...of.pod.status, ...of.status } };
}

/** What runs of a pod, as upstream tells it: by names and images alone. */
function asRunning({ pod: { metadata }, status }: ReturnType<Kubelet['pods']>[number]): object[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  const containers = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name, image }) => ({ name, image, resources: {} }));
  const { name, namespace, uid } = metadata;
  return containers.length === 0 ? [] : [{ metadata: { name, namespace, uid }, spec: { containers }, status: {} }];
}

function text(status: number, body: string): ServerAnswer {
  return { status, contentType: TEXT, body };
}

function json(body: unknown): ServerAnswer {
  return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(body) };
}
