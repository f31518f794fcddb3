import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { runAdmission } from '../testing/admission.ts';
import { createPodNodeSelector } from './pod-node-selector.ts';

type Labels = { readonly [name: string]: string };

interface Row {
  readonly name: string;
  readonly asked: Labels;
  readonly annotation?: string;
  readonly configuration?: Labels;
  /** The selector, or the refusal. */
  readonly outcome: Labels | string;
}

const ROWS: readonly Row[] = [
  { name: 'nothing said', asked: { a: '1' }, outcome: { a: '1' } },
  { name: 'of the namespace', asked: { a: '1' }, annotation: 'b=2, c=3', outcome: { a: '1', b: '2', c: '3' } },
  { name: 'of the cluster', asked: {}, configuration: { clusterDefaultNodeSelector: 'b=2' }, outcome: { b: '2' } },
  {
    name: 'the namespace goes first',
    asked: {},
    annotation: '',
    configuration: { clusterDefaultNodeSelector: 'b=2' },
    outcome: {},
  },
  {
    name: 'against the namespace',
    asked: { b: '1' },
    annotation: 'b=2',
    outcome: 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
  },
  {
    name: 'called like a member of a prototype',
    asked: {},
    annotation: 'constructor=x',
    outcome: { constructor: 'x' },
  },
  { name: 'as allowed', asked: { a: '1' }, configuration: { ns: 'a=1,b=2' }, outcome: { a: '1' } },
  {
    name: 'more than allowed',
    asked: { c: '1' },
    configuration: { ns: 'a=1,b=2' },
    outcome: 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
  },
  { name: 'no labels', asked: {}, annotation: 'a in (b)', outcome: 'invalid selector: a in (b)' },
];

for (const { name, asked, annotation, configuration = {}, outcome } of ROWS) {
  test(name, async () => {
    const object = { metadata: { namespace: 'ns', name: 'p' }, spec: { nodeSelector: asked } };
    const annotations = annotation === undefined ? {} : { 'scheduler.alpha.kubernetes.io/node-selector': annotation };
    const refusal = await runAdmission(createPodNodeSelector(new Map(Object.entries(configuration))), {
      operation: 'CREATE',
      resource: 'pods',
      object,
      namespaceObject: { metadata: { name: 'ns', annotations } },
    });
    assert.deepEqual(refusal ?? (object as never as Pod).spec.nodeSelector, outcome);
  });
}
