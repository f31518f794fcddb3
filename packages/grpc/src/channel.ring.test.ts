import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { Server, ServerCredentials, type ServerWritableStream, type UntypedHandleCall } from '@grpc/grpc-js';
import { type Channel, type GrpcFailure, failureOf, openChannel } from './channel.ts';

const VERSION = {
  service: 'runtime.v1.RuntimeService',
  method: 'Version',
};
const EVENTS = {
  service: 'runtime.v1.RuntimeService',
  method: 'GetContainerEvents',
};

/** What of CRI is asked here. */
const DESCRIPTOR = {
  nested: {
    runtime: {
      nested: {
        v1: {
          nested: {
            RuntimeService: {
              methods: {
                Version: { requestType: 'VersionRequest', responseType: 'VersionResponse' },
                GetContainerEvents: {
                  requestType: 'GetEventsRequest',
                  responseType: 'ContainerEventResponse',
                  responseStream: true,
                },
              },
            },
            VersionRequest: { fields: { version: { type: 'string', id: 1 } } },
            VersionResponse: {
              fields: {
                version: { type: 'string', id: 1 },
                runtime_name: { type: 'string', id: 2 },
                runtime_version: { type: 'string', id: 3 },
                runtime_api_version: { type: 'string', id: 4 },
              },
            },
            GetEventsRequest: { fields: {} },
            ContainerEventResponse: {
              fields: { container_id: { type: 'string', id: 1 }, container_event_type: { type: 'EventType', id: 2 } },
            },
            EventType: { values: { CONTAINER_CREATED_EVENT: 0, CONTAINER_STOPPED_EVENT: 2 } },
          },
        },
      },
    },
  },
};
const load = async (): Promise<readonly object[]> => [DESCRIPTOR];

describe('gRPC channel', () => {
  let folder: string;
  let server: Server;
  let channel: Channel;
  const asIs = (bytes: Buffer): Buffer => bytes;
  const handlers: { [method: string]: UntypedHandleCall } = {
    // VersionResponse { runtime_name = 2: "fake" }, or an error when the request names version "bad".
    Version: ((call: { request: Buffer }, answer: (error: object | null, bytes?: Buffer) => void) => {
      if (call.request.includes('bad')) answer({ code: 5, details: 'no such version' });
      else if (!call.request.includes('slow')) answer(null, Buffer.from('\x12\x04fake'));
    }) as UntypedHandleCall,
    // ContainerEventResponse { container_id = 1: "c1", container_event_type = 2: STOPPED }
    GetContainerEvents: ((call: ServerWritableStream<Buffer, Buffer>) => {
      call.write(Buffer.from('\x0a\x02c1\x10\x02'));
      call.emit('error', { code: 14, details: 'going away' });
    }) as UntypedHandleCall,
  };

  before(async () => {
    folder = makeTestFolder().path;
    server = new Server();
    const method = (name: string, responseStream: boolean) => ({
      path: `/runtime.v1.RuntimeService/${name}`,
      requestStream: false,
      responseStream,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    });
    const service = { Version: method('Version', false), GetContainerEvents: method('GetContainerEvents', true) };
    server.addService(service, handlers);
    const address = `unix://${join(folder, 'cri.sock')}`;
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
    });
    channel = await openChannel(address, load);
  });
  after(async () => {
    channel.close();
    server.forceShutdown();
    await rm(folder, { recursive: true, force: true });
  });

  test('an answer is a plain object with every field filled', async () => {
    assert.deepEqual(await channel.unary(VERSION, { version: '1' }, 0), {
      version: '',
      runtime_name: 'fake',
      runtime_version: '',
      runtime_api_version: '',
    });
  });

  // gRPC's header has eight digits: a call that waits for longer than they can say was never made, nor ended.
  test('a deadline that is too far to be told is as far as can be', { timeout: 20_000 }, async () => {
    const answer = (await channel.unary(VERSION, { version: '1' }, 2 ** 63 * 1000)) as {
      readonly runtime_name: string;
    };
    assert.equal(answer.runtime_name, 'fake');
  });

  test('a refusal and a deadline keep their status', async () => {
    const failure = async (version: string, timeoutMs: number): Promise<GrpcFailure> =>
      await channel.unary(VERSION, { version }, timeoutMs).then(() => assert.fail('answered'), failureOf);
    const refused = await failure('bad', 0);
    assert.deepEqual([refused.status, refused.details], [5, 'no such version']);
    assert.equal((await failure('slow', 50)).status, 4);
  });

  test('a stream gives its messages, then its end, once', async () => {
    const seen: unknown[] = [];
    const end = await new Promise<GrpcFailure>((resolve) => {
      channel.stream(EVENTS, {}, { message: (message) => seen.push(message), end: resolve });
    });
    assert.equal(end.status, 14);
    assert.deepEqual(
      seen.map((message) => (message as { container_event_type: string }).container_event_type),
      ['CONTAINER_STOPPED_EVENT'],
    );
  });

  test('nobody there is unavailable', async () => {
    const lonely = await openChannel(`unix://${join(folder, 'none.sock')}`, load);
    const failure = await lonely.unary(VERSION, {}, 0).then(() => assert.fail('answered'), failureOf);
    assert.equal(failure.status, 14);
    lonely.close();
  });
});
