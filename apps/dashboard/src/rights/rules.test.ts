import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { mayDo } from './rules.ts';
import type { Rule, Wish } from './rules.ts';

const PODS = { group: '', resource: 'pods' };
const ROWS: readonly (readonly [name: string, rules: readonly Rule[], wish: Wish, may: boolean])[] = [
  ['nothing', [], { ...PODS, verb: 'list' }, false],
  ['a rule', [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }], { ...PODS, verb: 'list' }, true],
  ['another verb', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], { ...PODS, verb: 'list' }, false],
  ['another group', [{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }], { ...PODS, verb: 'list' }, false],
  [
    'everything',
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    { ...PODS, verb: 'create', subresource: 'exec' },
    true,
  ],
  [
    'a resource is not its subresources',
    [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }],
    { ...PODS, verb: 'create', subresource: 'exec' },
    false,
  ],
  [
    'a subresource of all',
    [{ verbs: ['*'], apiGroups: [''], resources: ['*/scale'] }],
    { ...PODS, verb: 'patch', subresource: 'scale' },
    true,
  ],
  [
    'by name',
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }],
    { ...PODS, verb: 'get', name: 'a' },
    true,
  ],
  [
    'by another name',
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }],
    { ...PODS, verb: 'get', name: 'b' },
    false,
  ],
];
for (const [name, rules, wish, may] of ROWS) test(name, () => equal(mayDo(rules, wish), may));
