import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { SERVICES } from '@binnacle/api';
import { makeTestFolder } from '@binnacle/base/testing';
import { createClient } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';

const PROGRAM = join(import.meta.dirname, '../../launch.mjs');
/** Long for a start; who waits on is told so. */
const READY_MS_MAX = 60_000;

test('an API server alone gives Services addresses of the range that it was told, and of no other one afterwards', async () => {
  const root = makeTestFolder().path;
  const kubeconfig = join(root, 'kubeconfig');
  const place = ['--data-dir', join(root, 'data'), '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0'];
  const start = (...flags: readonly string[]) =>
    spawn(process.execPath, [PROGRAM, 'apiserver', ...place, '--output', 'json', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const child = start('--service-cluster-ip-range', '10.97.0.0/20');
  try {
    await once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(READY_MS_MAX) });
    const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
    const service = await createClient(wire).resource(SERVICES, 'default').get('kubernetes');
    assert.equal(service.spec.clusterIP, '10.97.0.1');
    await wire.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
    const other = start();
    const [said] = await Promise.all([text(other.stderr), once(other, 'exit')]);
    assert.equal(other.exitCode, 2, said);
    assert.match(said, /give --service-cluster-ip-range 10\.97\.0\.0\/20/);
  } finally {
    child.kill('SIGKILL');
    rmSync(root, { recursive: true });
  }
});
