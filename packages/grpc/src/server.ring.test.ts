import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe as suite, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { type Channel, type GrpcFailure, failureOf, openChannel } from './channel.ts';
import { describe } from './descriptors.ts';
import { GrpcError, GrpcRefusal } from './errors.ts';
import { type GrpcServer, serveSocket } from './server.ts';

const INFO = { service: 'csi.v1.Node', method: 'NodeGetInfo' };
const STATS = { service: 'csi.v1.Node', method: 'NodeGetVolumeStats' };
const EXPAND = { service: 'csi.v1.Node', method: 'NodeExpandVolume' };
const WATCH = { service: 'v1beta1.DevicePlugin', method: 'ListAndWatch' };

suite('gRPC server', () => {
  let folder: string;
  let path: string;
  let server: GrpcServer;
  let channel: Channel;
  const { promise: gone, resolve: callerGone } = Promise.withResolvers<void>();

  before(async () => {
    folder = makeTestFolder().path;
    path = join(folder, 's.sock');
    const descriptors = [await describe('csi'), await describe('devices')];
    server = await serveSocket({
      path,
      descriptors,
      services: {
        'csi.v1.Node': {
          NodeGetInfo: {
            unary: async () => ({ node_id: 'n', accessible_topology: { segments: { zone: 'a' } } }),
          },
          NodeGetVolumeStats: {
            unary: async (request) => {
              const { volume_id } = request as { readonly volume_id: string };
              throw volume_id === 'none' ? new GrpcRefusal(5, 'no such volume') : new RangeError('broken');
            },
          },
        },
        'v1beta1.DevicePlugin': {
          ListAndWatch: {
            stream: (_, { send, signal }) => {
              send({ devices: [{ ID: 'd1', health: 'Healthy' }] });
              signal.addEventListener('abort', () => callerGone());
            },
          },
        },
      },
    });
    channel = await openChannel(`unix://${path}`, async () => descriptors, { answerBytesMax: 1 << 20 });
  });
  after(async () => {
    channel.close();
    await server.close();
    assert.equal(existsSync(path), false, 'its socket goes with it');
    await rm(folder, { recursive: true });
  });
  const failure = (method: typeof INFO, request: object): Promise<GrpcFailure> =>
    channel.unary(method, request, 5_000).then(() => assert.fail('answered'), failureOf);

  test('an answer, with what is absent filled', async () => {
    assert.deepEqual(await channel.unary(INFO, {}, 5_000), {
      node_id: 'n',
      max_volumes_per_node: 0,
      accessible_topology: { segments: { zone: 'a' } },
    });
  });

  test('refusals keep their status, what breaks is unknown, what is not served is unimplemented', async () => {
    assert.partialDeepStrictEqual(await failure(STATS, { volume_id: 'none' }), {
      status: 5,
      details: 'no such volume',
    });
    assert.partialDeepStrictEqual(await failure(STATS, { volume_id: 'x' }), { status: 2, details: 'broken' });
    assert.equal((await failure(EXPAND, {})).status, 12);
  });

  test('a stream flows until its caller goes', async () => {
    const { promise: first, resolve } = Promise.withResolvers<unknown>();
    const stream = channel.stream(WATCH, {}, { message: resolve, end: () => undefined });
    assert.deepEqual(await first, { devices: [{ ID: 'd1', health: 'Healthy', topology: null }] });
    stream.cancel();
    await gone;
  });

  test('a path that the kernel would cut is refused', async () => {
    const options = { path: `/tmp/${'x'.repeat(120)}`, descriptors: [await describe('csi')], services: {} };
    await assert.rejects(serveSocket(options), GrpcError);
  });
});
