import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, unlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { describe, serveSocket } from '@binnacle/grpc';
import { startDevicePlugin } from './device-plugin.ts';
import { lookUntil } from './look-until.ts';

const RESOURCE = 'test.dev/thing';

/** Devices as a kubelet takes them, as far as a plugin sees it. */
async function serveKubelet(kubeletDir: string): Promise<{ readonly taken: Promise<unknown>; close(): Promise<void> }> {
  const { promise: taken, resolve } = Promise.withResolvers<unknown>();
  const server = await serveSocket({
    path: join(kubeletDir, 'device-plugins', 'kubelet.sock'),
    descriptors: [await describe('devices')],
    services: {
      'v1beta1.Registration': {
        Register: {
          unary: async (request) => {
            resolve(request);
            return {};
          },
        },
      },
    },
  });
  return { taken, close: () => server.close() };
}

/** A socket's file that refuses connections, as one that is bound and does not listen yet, or whose owner was killed. */
async function leaveDeadSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(`${path}.live`, resolve));
  await rename(`${path}.live`, path);
  await new Promise((resolve) => server.close(resolve));
}

test('a plugin registers anew with a kubelet whose socket is there before it listens', async () => {
  const kubeletDir = makeTestFolder().path;
  const directory = join(kubeletDir, 'device-plugins');
  await mkdir(directory);
  const own = join(directory, 'test.dev_thing.sock');
  const first = await serveKubelet(kubeletDir);
  const plugin = await startDevicePlugin({ kubeletDir, resource: RESOURCE, devices: [] });
  try {
    assert.partialDeepStrictEqual(await first.taken, { resource_name: RESOURCE, endpoint: 'test.dev_thing.sock' });
    await first.close();
    await unlink(own);
    await leaveDeadSocket(join(directory, 'kubelet.sock'));
    await lookUntil({ what: 'the plugin to serve anew', look: () => existsSync(own), until: (is) => is });
    await unlink(join(directory, 'kubelet.sock'));
    const second = await serveKubelet(kubeletDir);
    assert.partialDeepStrictEqual(await second.taken, { resource_name: RESOURCE });
    await second.close();
  } finally {
    await plugin.stop();
    await rm(kubeletDir, { recursive: true });
  }
});
