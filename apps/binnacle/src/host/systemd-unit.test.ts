import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemdUnit } from './systemd-unit.ts';

function commandOf(...args: readonly string[]): string {
  return (
    /^ExecStart=(.*)$/m.exec(systemdUnit(['node', '/opt/b/launch.mjs', 'kubelet', ...args], '/usr/bin/node'))?.[1] ?? ''
  );
}

const ROWS: readonly { readonly name: string; readonly args: readonly string[]; readonly command: string }[] = [
  {
    name: 'the usual folder',
    args: ['--systemd-unit'],
    command: 'kubelet --pod-manifest-path=/etc/kubernetes/manifests',
  },
  {
    name: 'a folder of its own',
    args: ['--pod-manifest-path', '/m', '--systemd-unit'],
    command: 'kubelet --pod-manifest-path /m',
  },
  { name: 'a configuration names it', args: ['--config=/k.yaml'], command: 'kubelet --config=/k.yaml' },
  {
    name: 'what systemd would read as its own',
    args: ['--config=/a b', '--node-name=50%$x"'],
    command: 'kubelet "--config=/a b" "--node-name=50%%$$x\\""',
  },
];

test('the kubelet has few heaps, as one that this program starts', () => {
  assert.match(
    systemdUnit(['node', 'b', 'kubelet'], 'node'),
    /^\[Service\]\nEnvironment=MALLOC_ARENA_MAX=2\nExecStart=/m,
  );
});

for (const { name, args, command } of ROWS) {
  test(name, () => assert.equal(commandOf(...args), `/usr/bin/node /opt/b/launch.mjs ${command}`));
}
