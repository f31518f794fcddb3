import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { RuntimeError, RuntimeNotFoundError } from '@binnacle/runtime';
import type { ContainerStatus } from '@binnacle/runtime';
import { SharedCpus } from './shared-cpus.ts';

const container = (id: string, state: 'running' | 'exited' = 'running') => ({ id, name: id, state }) as ContainerStatus;

test('containers that share are moved, one round for many changes; those alone and those that ended stay', async () => {
  const moved: string[] = [];
  let shared = '0-3';
  const containers = ['a', 'gone', 'alone', 'stubborn', 'b'].map((id) => container(id));
  const all = new SharedCpus({
    cpus: { own: (_uid, name) => (name === 'alone' ? [1] : undefined), groupCpus: () => shared },
    runtime: {
      updateResources: async (id, { cpusetCpus }) => {
        if (id === 'gone') throw new RuntimeNotFoundError('container', id);
        if (id === 'stubborn') throw new RuntimeError('busy');
        moved.push(`${id} ${cpusetCpus ?? ''}`);
      },
    },
    pods: () => [{ uid: 'p', view: { containers: [...containers, container('over', 'exited')] } }],
    log: silentLogger,
  });
  const first = all.changed();
  shared = '0,2-3';
  await Promise.all([first, all.changed(), all.changed()]);
  assert.deepEqual(moved, ['a 0,2-3', 'b 0,2-3']);
  shared = '0';
  await all.changed();
  assert.deepEqual(moved.slice(2), ['a 0', 'b 0']);
});
