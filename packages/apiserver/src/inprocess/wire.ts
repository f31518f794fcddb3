import { StatusError } from '@binnacle/machinery';
import type {
  ApiCall,
  KubeObject,
  Status,
  UserInfo,
  WatchCall,
  WatchHandle,
  WatchSink,
  Wire,
} from '@binnacle/machinery';
import { valueOf } from '../encode/body.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Reply } from '../catalogue/definition.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { readText } from './read-text.ts';
import { openInProcess } from './watch.ts';
import { requestOfCall, requestOfPath, requestOfWatch } from './request.ts';

/**
 * A caller in the same process: the same pipeline, no bytes. What it gets is the cache's own objects, shared and
 * read only (law 6); what it gives is rebuilt by the walkers.
 */
export function createInProcessWire(pipeline: Pick<Pipeline, 'answer'>, user: UserInfo): Wire {
  let closed = false;
  const open = new Set<WatchHandle>();
  const ask = async (request: ApiRequest): Promise<Reply> => {
    const { reply } = await pipeline.answer(request);
    if (reply.kind === 'object' && reply.code >= 400) throw new StatusError(reply.object as Status);
    return reply;
  };
  return {
    async call(call: ApiCall) {
      const reply = await ask(requestOfCall(call, user));
      if (reply.kind === 'watch' || reply.kind === 'text') return reply;
      if (reply.kind === 'stream') return readText(reply);
      return valueOf(reply);
    },
    watch<T extends KubeObject>(call: WatchCall, sink: WatchSink<T>) {
      const handle = openInProcess<T>(() => ask(requestOfWatch(call, user)), {
        events: (batch) => sink.events(batch),
        end(error) {
          open.delete(handle);
          sink.end(error);
        },
      });
      open.add(handle);
      if (closed) handle.stop();
      return handle;
    },
    async raw(path, context) {
      const reply = await ask(requestOfPath(path, user, context));
      if (reply.kind === 'text') {
        const text = typeof reply.body === 'string' ? reply.body : new TextDecoder().decode(reply.body);
        if (reply.code >= 400) throw textFailure(reply.code, text);
        return text;
      }
      if (reply.kind === 'stream') return readText(reply);
      return reply.kind === 'watch' ? '' : JSON.stringify(valueOf(reply));
    },
    close() {
      closed = true;
      for (const handle of open) handle.stop();
      return Promise.resolve();
    },
  };
}

function textFailure(code: number, message: string): StatusError {
  const reason = code === 404 ? 'NotFound' : '';
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });
}
