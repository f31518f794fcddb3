import type { PodTemplateSpec } from '@binnacle/api/core/v1';
import assert from 'node:assert/strict';
import test from 'node:test';
import { isSameTemplate } from './deployment/replica-sets.ts';
import { restsTheSame } from './kept-template.ts';

const template = (sources: unknown): PodTemplateSpec =>
  ({
    metadata: { labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected: { sources } }] },
  }) as unknown as PodTemplateSpec;

const ROWS: readonly (readonly [what: string, a: PodTemplateSpec, b: PodTemplateSpec | undefined, isSame: boolean])[] =
  [
    ['stored before empty lists were forgotten, and after', template([]), template(null), true],
    ['another list', template([]), template([{ secret: { name: 's' } }]), false],
    ['none', template([]), undefined, false],
  ];

for (const [what, a, b, isSame] of ROWS) {
  test(`templates: ${what}`, () => {
    for (const same of [restsTheSame, isSameTemplate]) {
      assert.equal(same(a, b), isSame);
      assert.equal(same(b, a), isSame);
    }
  });
}
