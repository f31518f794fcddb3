import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { Scope, silentLogger } from '@binnacle/base';
import type { Informer } from '@binnacle/client';
import type { KubeObject } from '@binnacle/machinery';
import type { DiscoveredResource } from '../discovery.ts';
import { OwnerGraph } from './graph.ts';
import { KindTable } from './kind-table.ts';
import { Monitors } from './monitors.ts';

const VERBS = ['delete', 'list', 'watch'];

function resource(group: string, name: string, verbs: readonly string[] = VERBS): DiscoveredResource {
  return { group, version: 'v1', resource: name, kind: name, namespaced: true, verbs };
}

/** Monitors over caches that hold nothing; which run, by their resource. */
function start() {
  const running = new Set<string>();
  const monitors = new Monitors({
    scope: new Scope('test'),
    graph: new OwnerGraph({ check: () => undefined, orphan: () => undefined }),
    log: silentLogger,
    informerOf(of, scope) {
      running.add(of.resource);
      scope.defer(() => void running.delete(of.resource));
      return { subscribe: () => () => undefined } as unknown as Informer<KubeObject>;
    },
  });
  return { monitors, running };
}

test('what can be deleted is watched, until it is served no more', async () => {
  const { monitors, running } = start();
  monitors.follow([
    resource('', 'pods'),
    resource('', 'events'),
    resource('', 'bindings', ['create']),
    resource('a', 'b'),
  ]);
  deepEqual([...running], ['pods', 'b']);
  monitors.follow([resource('', 'pods')]);
  await new Promise((resolve) => setImmediate(resolve));
  deepEqual([...running], ['pods']);
});

test('of a group whose server does not answer nobody knows what is gone: its watches go on', async () => {
  const { monitors, running } = start();
  const own = resource('', 'pods');
  monitors.follow([own, resource('other.io', 'things')]);
  monitors.follow([own], new Set(['other.io']));
  await new Promise((resolve) => setImmediate(resolve));
  deepEqual([...running], ['pods', 'things']);
  monitors.follow([own]);
  await new Promise((resolve) => setImmediate(resolve));
  deepEqual([...running], ['pods']);
});

test('a kind of such a group is still known', () => {
  const before = new KindTable([resource('', 'pods'), resource('other.io', 'things')]);
  const table = new KindTable([resource('', 'pods')], new Set(['other.io']), before);
  equal(table.find('other.io/v2', 'things')?.resource, 'things');
  equal(new KindTable([resource('', 'pods')], new Set(), before).find('other.io/v1', 'things'), undefined);
});

test('a group with thousands of resources takes no more than its share, and nothing of the others', () => {
  const { monitors, running } = start();
  const many = Array.from({ length: 20_000 }, (_, i) => resource('lie.io', `t${i}`));
  monitors.follow([...many, resource('', 'pods')]);
  equal(running.size, 1001);
  equal(running.has('pods'), true);
});
