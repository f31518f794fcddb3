import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PolicyRule } from '@binnacle/api/rbac/v1';
import { attributesOf } from '../../testing/attributes.ts';
import { ruleAllows } from './rule-match.ts';

const USER = { name: 'u', groups: [] };
const PODS: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

describe('a rule of a role and a request', () => {
  const rows: readonly (readonly [name: string, rule: PolicyRule, asked: string, allows: boolean])[] = [
    ['what it says', PODS, 'get core/pods n/p', true],
    ['another verb', PODS, 'list core/pods n', false],
    ['another group', PODS, 'get apps/pods n/p', false],
    ['another resource', PODS, 'get core/secrets n/p', false],
    ['any verb', { ...PODS, verbs: ['*'] }, 'deletecollection core/pods n', true],
    ['any group', { ...PODS, apiGroups: ['*'] }, 'get apps/pods n/p', true],
    ['no group is none, not the core', { verbs: ['get'], resources: ['pods'] }, 'get core/pods n/p', false],
    ['no resource is none', { verbs: ['get'], apiGroups: [''] }, 'get core/pods n/p', false],
    ['no verb is none', { ...PODS, verbs: [] }, 'get core/pods n/p', false],
    ['a resource is not its parts', PODS, 'get core/pods/log n/p', false],
    ['a part', { ...PODS, resources: ['pods/log'] }, 'get core/pods/log n/p', true],
    ['a part is not its resource', { ...PODS, resources: ['pods/log'] }, 'get core/pods n/p', false],
    ['another part', { ...PODS, resources: ['pods/log'] }, 'get core/pods/exec n/p', false],
    ['every resource has every part', { ...PODS, resources: ['*'] }, 'get core/pods/exec n/p', true],
    [
      'a part of every resource',
      { ...PODS, resources: ['*/scale'] },
      'get core/replicationcontrollers/scale n/r',
      true,
    ],
    ['a part of every resource is no other part', { ...PODS, resources: ['*/scale'] }, 'get core/pods/log n/p', false],
    ['a part of every resource is no resource', { ...PODS, resources: ['*/scale'] }, 'get core/pods n/p', false],
    ['a star does not stand for a part', { ...PODS, resources: ['pods/*'] }, 'get core/pods/log n/p', false],
    ['a star within a word is a letter', { ...PODS, resources: ['po*'] }, 'get core/pods n/p', false],
    ['its name', { ...PODS, resourceNames: ['p', 'q'] }, 'get core/pods n/q', true],
    ['another name', { ...PODS, resourceNames: ['p'] }, 'get core/pods n/q', false],
    ['no name where names are given', { ...PODS, verbs: ['list'], resourceNames: ['p'] }, 'list core/pods n', false],
    ['a star is a name', { ...PODS, resourceNames: ['*'] }, 'get core/pods n/q', false],
    ['no names are all names', { ...PODS, resourceNames: [] }, 'get core/pods n/q', true],
    ['a path', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, 'get /healthz', true],
    ['a path below it', { verbs: ['get'], nonResourceURLs: ['/healthz'] }, 'get /healthz/etcd', false],
    ['all paths below', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, 'get /healthz/etcd', true],
    ['all paths below are not it', { verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, 'get /healthz', false],
    ['whatever begins so', { verbs: ['get'], nonResourceURLs: ['/heal*'] }, 'get /healthz', true],
    ['every path', { verbs: ['*'], nonResourceURLs: ['*'] }, 'post /anything', true],
    ['a star in the middle is a letter', { verbs: ['get'], nonResourceURLs: ['/a/*/b'] }, 'get /a/x/b', false],
    ['a rule of resources allows no path', { ...PODS, resources: ['*'] }, 'get /healthz', false],
    ['a rule of paths allows no resource', { verbs: ['get'], nonResourceURLs: ['*'] }, 'get core/pods n/p', false],
    ['a path with another verb', { verbs: ['get'], nonResourceURLs: ['/x'] }, 'post /x', false],
  ];
  for (const [name, rule, asked, allows] of rows) {
    test(name, () => assert.equal(ruleAllows(rule, attributesOf(USER, asked)), allows));
  }
});
