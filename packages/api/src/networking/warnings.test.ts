import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ingress } from '../generated/networking-v1.ts';
import { ingressWarnings } from './warnings.ts';

const ingress = (annotations: { readonly [key: string]: string } | undefined, ingressClassName?: string): Ingress => ({
  metadata: annotations === undefined ? {} : { annotations },
  spec: ingressClassName === undefined ? {} : { ingressClassName },
});
const OLD = { 'kubernetes.io/ingress.class': 'nginx' };
const TEXT = `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`;
for (const [name, after, before, warned] of [
  ['no class', ingress(undefined), undefined, false],
  ['by the field', ingress({}, 'nginx'), undefined, false],
  ['by the annotation', ingress(OLD), undefined, true],
  ['by an empty annotation', ingress({ 'kubernetes.io/ingress.class': '' }), undefined, true],
  ['by both', ingress(OLD, 'nginx'), undefined, false],
  ['by an empty field too', ingress(OLD, ''), undefined, false],
  ['a change', ingress(OLD), ingress(undefined), false],
] as const)
  test(`an Ingress’s warning: ${name}`, () => assert.deepEqual(ingressWarnings(after, before), warned ? [TEXT] : []));
