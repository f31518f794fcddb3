import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIngressPorts } from './ingress.ts';

const ROWS: readonly (readonly [text: string, ports: readonly [number, number] | undefined])[] = [
  ['80,443', [80, 443]],
  ['0,0', [0, 0]],
  ['80,80', undefined],
  ['80', undefined],
  ['80,443,1', undefined],
  ['80,65536', undefined],
  ['-1,443', undefined],
  ['', undefined],
];

for (const [text, ports] of ROWS) {
  test(`--ingress-ports=${text}`, () => {
    if (ports === undefined) assert.throws(() => parseIngressPorts(text), { code: 'commander.invalidArgument' });
    else assert.deepEqual(parseIngressPorts(text), { http: ports[0], https: ports[1] });
  });
}
