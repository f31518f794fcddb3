import { AbortedError } from '@binnacle/base';
import type { SharedTurns } from '@binnacle/base';
import { readReplyText, replyFailure, status, StatusError, tellCall } from '@binnacle/machinery';
import type {
  ApiCall,
  CallSink,
  KubeObject,
  OpenCall,
  RawCall,
  Status,
  UserInfo,
  WatchCall,
  WatchHandle,
  WatchSink,
  Wire,
} from '@binnacle/machinery';
import { valueOf } from '../encode/body.ts';
import type { CallFigures } from '../observe/call-figures.ts';
import { codeOf } from '../pipeline/record-request.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Reply } from '../catalogue/definition.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { bodyOf, rawReply } from './raw-reply.ts';
import { readPassedOn } from './passed-on.ts';
import { openInProcess } from './watch.ts';
import { requestOfCall, requestOfRaw, requestOfWatch } from './request.ts';

export interface WireWorld {
  readonly pipeline: Pick<Pipeline, 'answer' | 'now'>;
  /** Absent: nobody keeps score of calls. */
  readonly calls?: Pick<CallFigures, 'answered' | 'now'>;
  /** Absent: callers never wait for each other, whatever sockets have to wait for them. */
  readonly turns?: Pick<SharedTurns, 'take'>;
}

/**
 * A caller in the same process: the same pipeline, no bytes. What it gets is the cache's own objects, shared and
 * read only (law 6); what it gives is rebuilt by the walkers.
 */
export function createInProcessWire({ pipeline, calls, turns }: WireWorld, user: UserInfo): Wire {
  let closed = false;
  const open = new Set<WatchHandle>();
  const ask = async (request: ApiRequest): Promise<Reply> => {
    const since = calls?.now() ?? 0;
    const { reply } = await pipeline.answer(request);
    calls?.answered(request.method, codeOf(reply), calls.now() - since);
    if (reply.kind === 'object' && reply.code >= 400) throw new StatusError(reply.object as Status);
    return reply;
  };
  const turn = (): Promise<void> | undefined => turns?.take(() => ({ name: user.name }));
  const perform = async (call: ApiCall): Promise<unknown> => {
    const request = requestOfCall(call, user);
    return answerOf(await ask(request), request.path);
  };
  return {
    call: (call: ApiCall) => inTurn(turn, () => perform(call)),
    batch: (calls: readonly ApiCall[], settled: CallSink) => inSlices({ turn, perform }, calls, settled),
    watch<T extends KubeObject>(call: WatchCall, sink: WatchSink<T>) {
      const handle = openInProcess<T>(
        { ask: () => inTurn(turn, () => ask(requestOfWatch(call, user))), turn },
        {
          events: (batch) => sink.events(batch),
          end(error) {
            open.delete(handle);
            sink.end(error);
          },
        },
      );
      open.add(handle);
      if (closed) handle.stop();
      return handle;
    },
    async raw(call: RawCall) {
      return rawReply(await pipeline.answer(requestOfRaw(call, user)), pipeline.now());
    },
    async open(call: OpenCall) {
      const headers = { ...call.headers, upgrade: call.protocol };
      const method = call.method ?? 'POST';
      const answer = await pipeline.answer(requestOfRaw({ ...call, headers, method }, user));
      const { reply } = answer;
      if (reply.kind === 'upgrade') {
        return { protocol: reply.headers['upgrade'] ?? call.protocol, headers: reply.headers, stream: reply.stream };
      }
      const refused = await rawReply(answer, pipeline.now());
      const text = await readReplyText(refused);
      if (refused.status >= 400) throw replyFailure({ status: refused.status, text }, call.path);
      throw status.badRequest(`${call.path}: the server does not change to ${call.protocol}`);
    },
    close() {
      closed = true;
      for (const handle of open) handle.stop();
      return Promise.resolve();
    },
  };
}

/** How calls are made, and what is waited for before each; undefined: nothing. */
interface Making {
  readonly turn: () => Promise<void> | undefined;
  readonly perform: (call: ApiCall) => Promise<unknown>;
}

/** Makes several calls in their order. One stands in line for all of them; who gives up meanwhile is asked for nothing more. */
async function inSlices({ turn, perform }: Making, calls: readonly ApiCall[], settled: CallSink): Promise<void> {
  const under: Promise<void>[] = [];
  for (const [at, call] of calls.entries()) {
    const waiting = turn();
    if (waiting !== undefined) await waiting;
    const { signal } = call;
    if (signal?.aborted === true) {
      settled(at, { status: 'rejected', reason: new AbortedError('a call', signal.reason) });
      continue;
    }
    under.push(tellCall(perform(call), at, settled));
    // What it set going runs before anybody asks how long the turn has lasted.
    await Promise.resolve();
  }
  await Promise.all(under);
}

/** What a call answers with. Throws StatusError for a refusal, and for an answer that is no object. */
function answerOf(reply: Reply, path: string): unknown {
  if (reply.kind === 'upgrade') {
    reply.stream.abort();
    throw status.badRequest('another protocol is asked for by open()');
  }
  if (reply.kind === 'text' && reply.code >= 400) {
    throw replyFailure({ status: reply.code, text: String(reply.body) }, path);
  }
  if (reply.kind === 'watch' || reply.kind === 'text') return reply;
  if (reply.kind === 'stream' && reply.headers !== undefined) return readPassedOn(reply, path);
  if (reply.kind === 'stream') return readReplyText({ body: bodyOf(reply) });
  return valueOf(reply);
}

async function inTurn<T>(turn: () => Promise<void> | undefined, run: () => Promise<T>): Promise<T> {
  const waiting = turn();
  if (waiting !== undefined) await waiting;
  return run();
}
