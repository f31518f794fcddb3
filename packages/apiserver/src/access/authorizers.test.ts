import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom, silentLogger, VirtualClock } from '@binnacle/base';
import type { AuthorizationDecision, Authorizer } from '../ports/authorization.ts';
import type { AuthorizerSettings } from '../ports/authorization-settings.ts';
import { attributesOf } from '../testing/attributes.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createAuthorizers } from './authorizers.ts';

const world = {
  clock: new VirtualClock(),
  log: silentLogger,
  random: createSeededRandom(1),
  http: undefined,
  cache: new MemoryCache(),
};

function saying(decision: AuthorizationDecision['decision'], reason: string): Authorizer {
  return { authorize: () => ({ decision, reason }) };
}

const node = saying('noOpinion', 'node');
const rbac = saying('noOpinion', 'rbac');
const GET = attributesOf({ name: 'u', groups: ['g'] }, 'get core/pods n/p');

const of = (type: 'Node' | 'RBAC' | 'AlwaysAllow' | 'AlwaysDeny'): AuthorizerSettings => ({ type, name: type });

describe('the authorizers that an administrator chose', () => {
  type Chosen = readonly AuthorizerSettings[] | undefined;
  const rows: readonly (readonly [name: string, chosen: Chosen, decision: string, reason: string])[] = [
    ['none chosen: Node, then RBAC', undefined, 'noOpinion', 'node\nrbac'],
    ['in the order of the file', [of('RBAC'), of('Node')], 'noOpinion', 'rbac\nnode'],
    ['one', [of('RBAC')], 'noOpinion', 'rbac'],
    ['who allows all', [of('Node'), of('AlwaysAllow')], 'allow', ''],
    ['who forbids all has no last word', [of('AlwaysDeny'), of('AlwaysAllow')], 'allow', ''],
    ['who forbids all, alone', [of('AlwaysDeny')], 'noOpinion', 'Everything is forbidden.'],
    ['nobody', [], 'noOpinion', ''],
  ];
  for (const [name, chosen, decision, reason] of rows) {
    test(name, () => {
      const chain = createAuthorizers(world, { node, rbac }, chosen);
      assert.deepEqual(chain.authorize(GET), { decision, reason });
    });
  }

  test('the privileged group is asked of nobody', () => {
    const chain = createAuthorizers(world, { node, rbac }, [of('AlwaysDeny')]);
    const asked = attributesOf({ name: 'root', groups: ['system:masters'] }, 'delete core/nodes /n');
    assert.deepEqual(chain.authorize(asked), { decision: 'allow', reason: '' });
  });

  test('a webhook without anybody to ask it with is no way to start', () => {
    const webhook = { type: 'Webhook', webhook: {} } as unknown as AuthorizerSettings;
    assert.throws(() => createAuthorizers(world, { node, rbac }, [webhook]), /somebody to ask them with/);
  });
});
