import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from './volume/memory-files.ts';
import { corruptRecord, isCount, isListOf, isTableOf, isText, readWritten } from './written-down.ts';

const ROWS: readonly [text: string, value: unknown][] = [
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['', undefined],
  ['{"a":', undefined],
  ['[1,2,3,4,5,6,7,8,9]', undefined],
];

for (const [text, value] of ROWS) {
  test(`what is written down is read, as far as it is allowed: ${text}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile('/f', new TextEncoder().encode(text));
    assert.deepEqual(await readWritten(files, '/f', 10), { value });
  });
}

test('where nothing is written there is nothing', async () => {
  assert.equal(await readWritten(createMemoryFiles(), '/f', 10), undefined);
});

test('values are what they are taken for', () => {
  const values = [{}, { a: 'b' }, { a: 1 }, null, undefined, [], ['a'], [1], 'a', 1, -1, 1.5];
  assert.deepEqual(
    values.map((value) =>
      [isTableOf(value, isText), isListOf(value, isText), isText(value), isCount(value)].map(Number),
    ),
    [
      ...[
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 1, 0, 0],
      ],
      ...[
        [0, 0, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
      ],
    ],
  );
});

test('the refusal says what to do, in the words of the upstream kubelet', () => {
  assert.equal(
    corruptRecord('cpuManagerPolicy', { manager: 'CPU manager', path: '/k/cpu_manager_state' }).message,
    'cpuManagerPolicy: could not restore state from checkpoint: checkpoint is corrupted, please drain this node and delete the CPU manager checkpoint file "/k/cpu_manager_state" before restarting Kubelet',
  );
});
