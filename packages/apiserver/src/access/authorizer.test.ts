import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthorizationDecision, Authorizer } from '../ports/authorization.ts';
import { attributesOf } from '../testing/attributes.ts';
import { createAuthorizerChain } from './authorizer.ts';

const USER = { name: 'u', groups: [] };
const ASKED = attributesOf(USER, 'get core/pods default/a');
const now = (decision: AuthorizationDecision['decision'], reason = ''): Authorizer => ({
  authorize: () => ({ decision, reason }),
});
const later = (decision: AuthorizationDecision['decision'], reason = ''): Authorizer => ({
  authorize: () => Promise.resolve({ decision, reason }),
});
const never: Authorizer = { authorize: () => assert.fail('not asked after an opinion') };

const ROWS: readonly (readonly [name: string, others: readonly Authorizer[], waits: boolean, answer: string])[] = [
  ['the first opinion counts', [now('noOpinion', 'a'), now('allow', 'b'), never], false, 'allow b'],
  ['a refusal is one', [now('deny', 'a'), never], false, 'deny a'],
  ["nobody's opinion has everybody's reasons", [now('noOpinion', 'a'), now('noOpinion', 'b')], false, 'noOpinion a\nb'],
  ['no promise where the first knows', [now('allow'), later('deny')], false, 'allow '],
  ['one that asks elsewhere is waited for', [now('noOpinion'), later('allow', 'w'), never], true, 'allow w'],
  ['after it the others go on', [later('noOpinion', 'w'), now('noOpinion', 'n'), later('deny', 'd')], true, 'deny d'],
  ['reasons in order over promises', [later('noOpinion', 'w'), now('noOpinion', 'n')], true, 'noOpinion w\nn'],
];

for (const [name, others, waits, expected] of ROWS) {
  test(name, async () => {
    const answer = createAuthorizerChain(others).authorize(ASKED);
    assert.equal(answer instanceof Promise, waits);
    const { decision, reason } = await answer;
    assert.equal(`${decision} ${reason}`, expected);
  });
}

test('system:masters is asked about nothing', () => {
  const masters = attributesOf({ name: 'm', groups: ['system:masters'] }, 'get core/pods default/a');
  assert.deepEqual(createAuthorizerChain([never]).authorize(masters), { decision: 'allow', reason: '' });
});
