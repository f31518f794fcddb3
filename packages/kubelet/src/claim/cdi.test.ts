import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { PluginRefusal } from '../plugin/plugin-error.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { readDeviceCatalogue } from './cdi-files.ts';
import { editsFor, readCdiSpec } from './cdi.ts';

const SPEC = {
  cdiVersion: '0.6.0',
  kind: 'acme.example/gpu',
  containerEdits: { env: ['ALL=1'], additionalGids: [7] },
  devices: [
    {
      name: 'a',
      containerEdits: {
        env: ['ONE=a=b'],
        deviceNodes: [{ path: '/dev/gpu0' }, { path: '/dev/ctl', hostPath: '/dev/null', permissions: 'r' }],
        mounts: [{ hostPath: '/lib/x', containerPath: '/x', options: ['ro', 'bind'] }],
      },
    },
    { name: 'hooked', containerEdits: { hooks: [{ hookName: 'createContainer', path: '/bin/true' }] } },
    { name: 'bent', containerEdits: { env: ['nothing'] } },
  ],
};

test('what a file says of all its devices and of one comes together', () => {
  assert.deepEqual(editsFor(readCdiSpec(SPEC), ['acme.example/gpu=a']), {
    env: [
      ['ALL', '1'],
      ['ONE', 'a=b'],
    ],
    mounts: [{ hostPath: '/lib/x', containerPath: '/x', readOnly: true }],
    devices: [
      { hostPath: '/dev/gpu0', containerPath: '/dev/gpu0', permissions: 'rwm' },
      { hostPath: '/dev/null', containerPath: '/dev/ctl', permissions: 'r' },
    ],
    groups: [7],
  });
});

for (const [id, words] of [
  ['acme.example/gpu=b', /CDI device injection failed: unresolvable CDI devices acme.example\/gpu=b/],
  ['acme.example/gpu=hooked', /CDI device acme.example\/gpu=hooked: not supported by this kubelet: hooks/],
  ['acme.example/gpu=bent', /"nothing" is no variable/],
] as const) {
  test(`refused, and the others are not: ${id}`, () => {
    const catalogue = readCdiSpec(SPEC);
    assert.throws(() => editsFor(catalogue, [id]), words);
    editsFor(catalogue, ['acme.example/gpu=a']);
  });
}

for (const [name, value] of [
  ['nothing', undefined],
  ['a list', []],
  ['no kind', { cdiVersion: '0.6.0' }],
  ['a kind without a vendor', { cdiVersion: '0.6.0', kind: 'gpu' }],
  ['devices that are no list', { cdiVersion: '0.6.0', kind: 'a.b/c', devices: { a: 1 } }],
  ['a device without a name', { cdiVersion: '0.6.0', kind: 'a.b/c', devices: [{}] }],
] as const) {
  test(`no file of devices: ${name}`, () => assert.throws(() => readCdiSpec(value), PluginRefusal));
}

test('of two folders the later one counts; what cannot be read is passed over', async () => {
  const files = createMemoryFiles();
  const write = (path: string, text: string): Promise<void> => files.writeFile(path, new TextEncoder().encode(text));
  const of = (value: string): string =>
    `cdiVersion: 0.6.0\nkind: a.b/c\ndevices: [{name: d, containerEdits: {env: [V=${value}]}}]\n`;
  await write('/one/a.yaml', of('one'));
  await write('/two/a.json', JSON.stringify({ ...SPEC, kind: 'x.y/z' }));
  await write('/two/b.yaml', of('two'));
  await write('/two/c.yaml', '{');
  await write('/two/notes.txt', of('three'));
  const catalogue = await readDeviceCatalogue(files, ['/one', '/two', '/none'], silentLogger);
  assert.deepEqual(editsFor(catalogue, ['a.b/c=d']).env, [['V', 'two']]);
  assert.ok(catalogue.has('x.y/z=a'));
});
