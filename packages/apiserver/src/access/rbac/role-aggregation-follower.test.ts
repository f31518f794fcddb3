import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRole, PolicyRule } from '@binnacle/api/rbac/v1';
import { silentLogger, VirtualClock } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { status } from '@binnacle/machinery';
import type { ServerWorld } from '../../ports/world.ts';
import { followAggregation } from './role-aggregation-follower.ts';

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });

/** Roles in a cache, and an update that may fail. */
class Roles {
  readonly clock = new VirtualClock();
  readonly roles = new Map<string, ClusterRole>();
  readonly tries: string[] = [];
  /** Thrown when the role of that name is to be written. */
  readonly refusals = new Map<string, Error>();
  readonly #followers: (() => void)[] = [];
  readonly stop: () => void;

  constructor(...roles: readonly ClusterRole[]) {
    for (const role of roles) this.roles.set(role.metadata.name ?? '', role);
    const world = {
      cache: {
        list: () => [...this.roles.values()],
        follow: (_: unknown, changed: () => void) => {
          this.#followers.push(changed);
          changed();
          return () => void this.#followers.splice(this.#followers.indexOf(changed), 1);
        },
      },
      update: async ({ name }: { name: string }, change: (draft: KubeObject) => void): Promise<KubeObject> => {
        this.tries.push(name);
        await Promise.resolve();
        const refusal = this.refusals.get(name);
        if (refusal !== undefined) throw refusal;
        const draft = structuredClone(this.roles.get(name)) as ClusterRole;
        change(draft);
        this.put(draft);
        return draft;
      },
      clock: this.clock,
      log: silentLogger,
    };
    this.stop = followAggregation(world as unknown as ServerWorld);
  }

  put(role: ClusterRole): void {
    this.roles.set(role.metadata.name ?? '', role);
    for (const changed of this.#followers) changed();
  }

  resourcesOf(name: string): string[] {
    return (this.roles.get(name)?.rules ?? []).flatMap(({ resources = [] }) => resources);
  }
}

const aggregating = (name: string): ClusterRole => ({
  rules: [],
  metadata: { name },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'all' } }] },
});
const source = (name: string, resource: string): ClusterRole => ({
  metadata: { name, labels: { to: 'all' } },
  rules: [rule(resource)],
});

test('a role takes the rules of those that it chooses, also of one that comes later', async () => {
  const roles = new Roles(aggregating('admin'), source('a', 'pods'));
  await roles.clock.advance(0);
  assert.deepEqual(roles.resourcesOf('admin'), ['pods']);
  roles.put(source('b', 'nodes'));
  await roles.clock.advance(0);
  assert.deepEqual(roles.resourcesOf('admin'), ['pods', 'nodes']);
  roles.stop();
});

test('a role that cannot be written holds up no other', async () => {
  const roles = new Roles(aggregating('aged'), aggregating('view'), source('a', 'pods'));
  roles.refusals.set('aged', status.badRequest('stored before that was refused'));
  await roles.clock.advance(0);
  assert.deepEqual(roles.resourcesOf('view'), ['pods']);
  roles.stop();
});

test('a role whose selector cannot be read, stored as it was, holds up no other', async () => {
  const old = aggregating('aged');
  const matchExpressions = [{ key: 'a', operator: 'Near' as 'In', values: ['b'] }];
  const roles = new Roles(
    { ...old, aggregationRule: { clusterRoleSelectors: [{ matchExpressions }] } },
    aggregating('view'),
    source('a', 'pods'),
  );
  await roles.clock.advance(0);
  assert.deepEqual(roles.resourcesOf('view'), ['pods']);
  roles.stop();
});

test('what failed is tried again, more and more seldom, until it is done', async () => {
  const roles = new Roles(aggregating('admin'), source('a', 'pods'));
  roles.refusals.set('admin', new Error('the disk is full'));
  await roles.clock.advance(3_600_000);
  assert.ok(roles.tries.length > 10 && roles.tries.length < 100, `tried ${roles.tries.length} times in an hour`);
  roles.refusals.clear();
  await roles.clock.advance(60_000);
  assert.deepEqual(roles.resourcesOf('admin'), ['pods']);
  const { length } = roles.tries;
  await roles.clock.advance(3_600_000);
  assert.equal(roles.tries.length, length, 'and then no more');
  roles.stop();
});

test('a role that is gone is not tried again, and nothing is once it is stopped', async () => {
  const roles = new Roles(aggregating('admin'), source('a', 'pods'));
  roles.refusals.set(
    'admin',
    status.notFound({ group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }, 'admin'),
  );
  await roles.clock.advance(3_600_000);
  assert.deepEqual(roles.tries, ['admin']);
  roles.refusals.set('admin', new Error('the disk is full'));
  roles.put(source('b', 'nodes'));
  await roles.clock.advance(0);
  roles.stop();
  roles.put(source('c', 'nodes'));
  await roles.clock.advance(3_600_000);
  assert.deepEqual(roles.tries, ['admin', 'admin']);
});
