import { messageOf } from '@binnacle/base';
import { LogError, StreamRefusal } from '../errors.ts';
import type { Kubelet } from '../kubelet.ts';
import { parseLogOptions } from '../logs/options.ts';
import { containerMetrics } from './container-metrics.ts';
import { EXPOSITION_TYPE } from './exposition.ts';
import { cpuAndMemoryOf } from './cpu-and-memory.ts';
import { metricsText } from './metrics.ts';
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
  readonly signal?: AbortSignal;
}

/** What to send; a stream ends with the request's signal. */
export interface ServerAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | AsyncIterable<Uint8Array>;
}

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json';

/** What the kubelet's port answers. Pure of sockets: an API server in the same process may ask it directly. */
export async function answerRequest(kubelet: Kubelet, request: ServerRequest, now: number): Promise<ServerAnswer> {
  const [, head = '', namespace = '', pod = '', container = ''] = request.path.split('/');
  if (STREAMED.has(head)) return text(400, 'Upgrade request required');
  if (head === 'run') return run(kubelet, { ...request, namespace, pod, container });
  if (head === 'checkpoint') return checkpoint(kubelet, request, { namespace, pod, container });
  if (request.method !== 'GET') return text(405, 'Method Not Allowed');
  switch (head) {
    case 'healthz':
      return text(200, 'ok');
    case 'pods':
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: kubelet.pods().map(asPod) });
    case 'refusedmanifests': {
      const refused = [...kubelet.refusedManifests()].map(([file, reason]) => ({ file, reason }));
      return json({ items: refused });
    }
    case 'runningpods': {
      const running = kubelet.pods().filter((p) => p.status.phase === 'Running');
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: running.map(asPod) });
    }
    case 'containerLogs':
      return logs(kubelet, { ...request, namespace, pod, container, now });
    case 'stats':
      return stats(kubelet, { ...request, which: namespace, now });
    case 'configz':
      return json({ kubeletconfig: shownConfig(kubelet.config) });
    case 'metrics':
      return metrics(kubelet, namespace, now);
    default:
      return text(404, '404 page not found');
  }
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
  };
  const body = Object.hasOwn(bodies, which) ? await bodies[which]?.() : undefined;
  return body === undefined ? text(404, '404 page not found') : { status: 200, contentType: EXPOSITION_TYPE, body };
}

const STREAMED: ReadonlySet<string> = new Set(['exec', 'attach', 'portForward']);
const NO_TIMEOUT = 0;

/** A command given as one text; its output comes back as one. */
async function run(
  kubelet: Kubelet,
  of: ServerRequest & { readonly namespace: string; readonly pod: string; readonly container: string },
): Promise<ServerAnswer> {
  if (of.method !== 'POST') return text(405, 'Method Not Allowed');
  const command = (of.query.get('cmd') ?? '').split(' ').filter((word) => word !== '');
  if (command.length === 0) return text(400, 'cmd is required');
  try {
    const { namespace, pod, container } = of;
    const id = kubelet.streams.container({ namespace, pod, container, uid: '' });
    const { stdout, stderr, exitCode } = await kubelet.streams.exec(id, command, NO_TIMEOUT);
    const decoder = new TextDecoder();
    const output = decoder.decode(stdout) + decoder.decode(stderr);
    return exitCode === 0
      ? text(200, output)
      : text(500, `command '${command.join(' ')}' exited with ${exitCode}: ${output}`);
  } catch (error) {
    if (error instanceof StreamRefusal) return text(error.httpCode, error.message);
    return text(500, messageOf(error));
  }
}

/** Writes a container down; the answer names the file on the node. Upstream's answers to what is wrong. */
async function checkpoint(
  kubelet: Kubelet,
  { method, query }: ServerRequest,
  of: { readonly namespace: string; readonly pod: string; readonly container: string },
): Promise<ServerAnswer> {
  if (method !== 'POST') return text(405, 'Method Not Allowed');
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

function text(status: number, body: string): ServerAnswer {
  return { status, contentType: TEXT, body };
}

function json(body: unknown): ServerAnswer {
  return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(body) };
}
