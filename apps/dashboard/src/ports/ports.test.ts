import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '../live/rows.ts';
import { forwardCommand, portsOf } from './ports.ts';

const podOf = (spec: unknown): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', resourceVersion: '1' },
  spec,
});

test('TCP ports, each once, with what they are called', () => {
  const web = {
    name: 'web',
    ports: [
      { containerPort: 80, name: 'http' },
      { containerPort: 53, protocol: 'UDP' },
    ],
  };
  const side = { name: 'side', ports: [{ containerPort: 9090, protocol: 'TCP' }, { containerPort: 80 }] };
  deepEqual(portsOf(podOf({ containers: [web, side] })), [
    { port: 80, of: 'web http' },
    { port: 9090, of: 'side' },
  ]);
});

test('objects of any shape have ports or none', () => {
  for (const spec of [
    undefined,
    null,
    1,
    {},
    { containers: 1 },
    { containers: [null, { ports: 'x' }, { ports: [null, { containerPort: 'x' }] }] },
  ]) {
    deepEqual(portsOf(podOf(spec)), []);
  }
});

test('the command reads names as names', () => {
  equal(forwardCommand({ name: 'web', namespace: 'n' }, 80), 'kubectl port-forward pods/web -n n 80');
  equal(forwardCommand({ name: '$(id)', namespace: "a'b" }, 80), `kubectl port-forward 'pods/$(id)' -n 'a'\\''b' 80`);
});
