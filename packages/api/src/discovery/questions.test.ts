import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointConditions } from '../generated/discovery-v1.ts';
import { chooseStanding, endpointStanding } from './questions.ts';
import type { EndpointStanding } from './questions.ts';

const ROWS: readonly (readonly [conditions: EndpointConditions | undefined, standing: EndpointStanding])[] = [
  [undefined, 'ready'],
  [{}, 'ready'],
  [{ serving: false }, 'ready'],
  [{ ready: true, serving: true, terminating: true }, 'ready'],
  [{ terminating: true }, 'ready'],
  [{ ready: false }, 'out'],
  [{ ready: false, terminating: true }, 'out'],
  [{ ready: false, serving: true }, 'out'],
  [{ ready: false, serving: false, terminating: true }, 'out'],
  [{ ready: false, serving: true, terminating: true }, 'leaving'],
];

for (const [conditions, standing] of ROWS) {
  test(`${JSON.stringify(conditions)}: ${standing}`, () => {
    assert.equal(endpointStanding(conditions === undefined ? {} : { conditions }), standing);
  });
}

for (const [all, chosen] of [
  ['ready leaving out ready', 'ready ready'],
  ['leaving out leaving', 'leaving leaving'],
  ['out', ''],
  ['', ''],
] as const) {
  test(`of ${all || 'nobody'}: ${chosen || 'nobody'}`, () => {
    const given = all.split(' ').map((standing) => ({ standing: standing as EndpointStanding }));
    assert.equal(
      chooseStanding(given)
        .map(({ standing }) => standing)
        .join(' '),
      chosen,
    );
  });
}
