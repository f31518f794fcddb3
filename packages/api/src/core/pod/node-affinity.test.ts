import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeSelectorRequirement, Pod, PodSpec } from '../../generated/core-v1.ts';
import { matchesNodeSelection, matchesNodeSelectorTerm } from './node-affinity.ts';

const NODE = { name: 'n1', labels: { disk: 'ssd', cpus: '8' } };

describe('node selection', () => {
  const terms: [name: string, requirement: NodeSelectorRequirement, matches: boolean][] = [
    ['in', { key: 'disk', operator: 'In', values: ['hdd', 'ssd'] }, true],
    ['not in list', { key: 'disk', operator: 'In', values: ['hdd'] }, false],
    ['absent label is not in', { key: 'gpu', operator: 'In', values: [''] }, false],
    ['NotIn', { key: 'disk', operator: 'NotIn', values: ['ssd'] }, false],
    ['NotIn of an absent label', { key: 'gpu', operator: 'NotIn', values: ['x'] }, true],
    ['Exists', { key: 'disk', operator: 'Exists' }, true],
    ['DoesNotExist', { key: 'disk', operator: 'DoesNotExist' }, false],
    ['a label that only a prototype has', { key: 'constructor', operator: 'Exists' }, false],
    ['its absence', { key: 'constructor', operator: 'DoesNotExist' }, true],
    ['Gt', { key: 'cpus', operator: 'Gt', values: ['7'] }, true],
    ['Lt', { key: 'cpus', operator: 'Lt', values: ['8'] }, false],
    ['Gt of no number', { key: 'disk', operator: 'Gt', values: ['1'] }, false],
  ];
  for (const [name, requirement, matches] of terms) {
    it(name, () => assert.equal(matchesNodeSelectorTerm({ matchExpressions: [requirement] }, NODE), matches));
  }

  const required = (...nodeSelectorTerms: object[]): object => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const byName = (name: string): object => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  });
  const pods: [name: string, spec: object, matches: boolean][] = [
    ['no wishes', {}, true],
    ['node selector', { nodeSelector: { disk: 'ssd' } }, true],
    ['node selector fails', { nodeSelector: { disk: 'ssd', gpu: '1' } }, false],
    ['by field', required(byName('n1')), true],
    ['by another name', required(byName('n2')), false],
    ['terms are alternatives', required(byName('n2'), byName('n1')), true],
    ['an empty term matches nothing', required({}), false],
    ['both must hold', { nodeSelector: { disk: 'hdd' }, ...required(byName('n1')) }, false],
  ];
  for (const [name, spec, matches] of pods) {
    it(name, () => {
      const pod: Pod = { metadata: {}, spec: { containers: [], ...spec } as PodSpec };
      assert.equal(matchesNodeSelection(pod, NODE), matches);
    });
  }
});
