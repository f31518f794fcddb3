import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope } from '@binnacle/base';
import { GrpcRefusal, describe, serveSocket } from '@binnacle/grpc';
import { PluginError } from '../plugin/plugin-error.ts';
import { createPluginWire } from './plugin-wire.ts';

const NODE = { protocol: 'csi', service: 'csi.v1.Node', timeoutMs: 5_000 } as const;

test('a plugin is called by its socket; its refusals, and its absence, read as upstream prints them', async () => {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  const path = join(folder, 'd.sock');
  const services = {
    'csi.v1.Node': {
      NodeGetInfo: { unary: async () => ({ node_id: 'n' }) },
      NodeStageVolume: {
        unary: async () => {
          throw new GrpcRefusal(9, 'not now');
        },
      },
    },
    'v1beta1.DevicePlugin': {
      ListAndWatch: {
        stream: (_: unknown, { send }: { readonly send: (message: object) => void }) =>
          send({ devices: [{ ID: 'a', health: 'Healthy' }] }),
      },
    },
  };
  const descriptors = [await describe('csi'), await describe('devices')];
  const server = await serveSocket({ path, descriptors, services });
  const wire = createPluginWire(scope);
  try {
    const info = await wire.call(path, { ...NODE, method: 'NodeGetInfo' }, {});
    assert.partialDeepStrictEqual(info, { node_id: 'n', max_volumes_per_node: 0 });
    const failed = (method: string, socket = path): Promise<void> =>
      assert.rejects(wire.call(socket, { ...NODE, method }, {}), (error) => {
        assert.ok(error instanceof PluginError);
        said.push(error.message.slice(0, 50));
        return true;
      });
    const said: string[] = [];
    await failed('NodeStageVolume');
    await failed('NodeUnstageVolume');
    await failed('NodeGetInfo', join(folder, 'none.sock'));
    assert.deepEqual(
      said.map((text) => /code = (\w+)/.exec(text)?.[1]),
      ['FailedPrecondition', 'Unimplemented', 'Unavailable'],
    );
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { promise: ended, resolve: end } = Promise.withResolvers<Error>();
    const watch = { protocol: 'devices', service: 'v1beta1.DevicePlugin', method: 'ListAndWatch' } as const;
    wire.stream(path, watch, { message: resolve, end });
    assert.partialDeepStrictEqual(await promise, { devices: [{ ID: 'a' }] });
    await server.close();
    assert.ok((await ended) instanceof PluginError);
    wire.forget(path);
  } finally {
    await server.close();
    await scope.close();
    await rm(folder, { recursive: true });
  }
});
