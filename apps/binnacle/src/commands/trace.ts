import type { Scope } from '@binnacle/base';
import { linesOf, silentLogger, sleep, Scope as OpenScope } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { isTransportError } from '@binnacle/client';
import { createHttpWire } from '@binnacle/client/node';
import { readReplyText, readText, replyFailure, status } from '@binnacle/machinery';
import type { Wire } from '@binnacle/machinery';
import { htmlPage, LiveArrows, mermaidDiagram, terminalDiagram, terminalHead, terminalLine } from '@binnacle/trace';
import type { RingState, TraceHop, TraceHopList } from '@binnacle/trace';
import { CommandFailedError, UsageError } from '../errors.ts';
import { userKubeconfig } from '../host/kubeconfig.ts';
import { findNamedResource } from '../host/resource-names.ts';

/** How a command that only asks reaches its server. */
export interface AskFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** The flags of `binnacle trace`. */
export interface TraceFlags extends AskFlags {
  readonly output?: 'json' | 'mermaid' | 'html';
  readonly follow?: boolean;
}

/** Who is asked, and where names without a namespace are. */
export interface Asked {
  readonly wire: Wire;
  readonly namespace: string;
}

/** `binnacle trace KIND/NAME`: how the object came to be as it is, call by call. */
export async function trace(words: readonly string[], flags: TraceFlags): Promise<void> {
  await asking(flags, async ({ wire, namespace }) => {
    const path = await storyPath(wire, words, namespace);
    if (flags.follow === true) await follow(wire, path, flags.output);
    else {
      const out = (text: string): void => void process.stdout.write(text);
      await show(wire, path, { words, output: flags.output, out, remark });
    }
  });
}

function remark(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Opens the wire of the kubeconfig for as long as `ask` needs it. */
export async function asking(flags: AskFlags, ask: (asked: Asked, scope: Scope) => Promise<void>): Promise<void> {
  const scope = new OpenScope('ask', { log: silentLogger });
  try {
    const loaded = await userKubeconfig(flags.kubeconfig, flags.context);
    const wire = createHttpWire({ ...loaded.wire, userAgent: 'binnacle' });
    scope.defer(() => wire.close());
    await ask({ wire, namespace: flags.namespace ?? loaded.namespace }, scope);
  } finally {
    await scope.close();
  }
}

const ROOT = '/apis/trace.binnacle.dev/v1';
const LIMIT = 5000;

async function storyPath(wire: Wire, words: readonly string[], namespace: string): Promise<string> {
  const [kind = '', name = '', ...rest] = words.length === 1 ? (words[0] ?? '').split('/') : words;
  if (kind === '' || name === '' || rest.length > 0) {
    throw new UsageError('name one object: pod/NAME, rc/NAME, deployment/NAME, …');
  }
  const { resource, group, namespaced } = await findNamedResource(wire, kind);
  const about = encodeURIComponent(`${group === '' ? resource : `${resource}.${group}`}/${name}`);
  const place = namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${ROOT}${place}/hops?about=${about}&limit=${LIMIT}`;
}

/** What is shown, and where to. */
export interface Shown {
  readonly words: readonly string[];
  readonly output: TraceFlags['output'];
  readonly out: (text: string) => void;
  readonly remark: (text: string) => void;
}

/** Shows a story as it is now. Rejects where nothing is known of the object; as JSON it is told what the ring still has, all the same. */
export async function show(wire: Wire, path: string, { words, output, out, remark }: Shown): Promise<void> {
  const list = JSON.parse(await readStory(wire, path)) as TraceHopList;
  const { items, ring } = list;
  if (output === 'json') out(`${JSON.stringify(list)}\n`);
  else if (items.length > 0) out(diagramOf(items, output, `binnacle trace ${words.join(' ')}`));
  for (const line of remarks(list)) remark(line);
  if (items.length > 0) return;
  throw new CommandFailedError(
    ring.on ? `nothing is known of ${words.join(' ')}` : 'the API server keeps no trace (--trace=off)',
  );
}

function diagramOf(items: readonly TraceHop[], output: 'mermaid' | 'html' | undefined, title: string): string {
  if (output === 'mermaid') return mermaidDiagram(items);
  return output === 'html' ? htmlPage(items, title) : terminalDiagram(items);
}

/** What is said of a server that does not serve the trace's group. */
export const NO_TRACE = 'this API server has no trace: it is none of Binnacle';

async function readStory(wire: Wire, path: string): Promise<string> {
  try {
    return await readText(wire, path);
  } catch (error) {
    if (status.isNotFound(error)) throw new CommandFailedError(NO_TRACE);
    throw error;
  }
}

/** What the picture does not show: there is too much of it, nobody knows it any more, or it is not for the viewer. */
export function remarks({ ring, items, metadata, isCut }: TraceHopList): string[] {
  const said: string[] = [];
  if (isCut === true) said.push('the story is too long to be told whole: some of it is left out');
  if (metadata.continue !== undefined) said.push(`of a longer story the latest ${items.length} hops are shown`);
  if (items.some(({ cause }) => cause.type === 'forgotten')) {
    said.push(`some causes are forgotten: ${forgottenText(ring)}`);
  }
  if (items.some(({ cause }) => cause.type === 'hidden')) said.push('some causes are not for your eyes');
  return said;
}

function forgottenText({ forgotten: { changes, others, deliveries } }: RingState): string {
  if (changes + others + deliveries === 0) return "they are from before this API server's start, or another one's";
  return `the ring has let go of ${changes} changes, ${others} other requests and ${deliveries} deliveries`;
}

/** What stands in place of a hop where the server refuses to go on. */
interface StatusObject {
  readonly message?: string;
}

interface StreamLine {
  readonly type: 'ADDED' | 'BOOKMARK' | 'ERROR';
  readonly object: TraceHop;
}

const LINES = { bytesMax: 8 << 20, tooLong: () => new CommandFailedError('the server sends a line without end') };

/** Prints hops as they come, until the server refuses or the user ends it. */
async function follow(wire: Wire, path: string, output: TraceFlags['output']): Promise<void> {
  if (output === 'html' || output === 'mermaid')
    throw new UsageError(`-o ${output} shows what is there: without --follow`);
  const arrows = new LiveArrows();
  if (output === undefined) process.stdout.write(`${terminalHead()}\n`);
  await followHops(wire, path, {
    told: (hop) =>
      process.stdout.write(`${output === 'json' ? JSON.stringify(hop) : terminalLine(arrows.next(hop))}\n`),
    remark,
    rest: (ms) => sleep(realClock, ms),
  });
}

/** Who is told what is followed, and how to wait. */
export interface Follower {
  told(hop: TraceHop): void;
  remark(text: string): void;
  rest(ms: number): Promise<void>;
}

const REST_MS_MIN = 500;
const REST_MS_MAX = 20_000;

/**
 * Tells of hops for as long as the server lets it. A server ends streams when their time is over, and connections break: then it is
 * asked again, from the last number that it said. Rejects with what the server refuses.
 */
export async function followHops(wire: Wire, path: string, follower: Follower): Promise<never> {
  let from = '';
  let isOpened = false;
  for (let restMs = REST_MS_MIN; ; restMs = Math.min(REST_MS_MAX, restMs * 2)) {
    try {
      const since = from === '' ? '' : `&resourceVersion=${from}`;
      const headers = { accept: 'application/json' };
      const reply = await wire.raw({ path: `${path}&watch=true${since}`, headers });
      if (reply.status >= 400) throw replyFailure({ status: reply.status, text: await readReplyText(reply) }, path);
      isOpened = true;
      for await (const line of linesOf(reply.body, LINES)) {
        const { type, object } = JSON.parse(line) as StreamLine;
        if (type === 'ERROR')
          throw new CommandFailedError((object as unknown as StatusObject).message ?? 'the server ends the stream');
        if (type === 'ADDED') follower.told(object);
        else if (type === 'BOOKMARK') from = object.metadata.resourceVersion;
        restMs = REST_MS_MIN;
      }
    } catch (error) {
      // Who never was there, or has no credentials, is not waited for.
      if (!isOpened || !isTransportError(error) || error.fault === 'kubeconfig') throw error;
      follower.remark(`the connection is lost (${error.message}): the server is asked again`);
    }
    await follower.rest(restMs);
  }
}
