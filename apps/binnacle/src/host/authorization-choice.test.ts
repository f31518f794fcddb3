import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../errors.ts';
import { authorizationChoice } from './authorization-choice.ts';
import type { AuthorizationFlags } from './authorization-choice.ts';

test('modes, in their order', async () => {
  const { authorization = [] } = await authorizationChoice({ authorizationMode: ['RBAC', 'Node'] });
  assert.deepEqual(
    authorization.map(({ type }) => type),
    ['RBAC', 'Node'],
  );
  assert.deepEqual(await authorizationChoice({}), {});
});

const REFUSED: readonly [name: string, flags: AuthorizationFlags, says: RegExp][] = [
  ['an unknown mode', { authorizationMode: ['ABAC'] }, /unknown mode "ABAC"/],
  ['a mode twice', { authorizationMode: ['RBAC', 'RBAC'] }, /"RBAC" is there twice/],
  ['a webhook without whom to ask', { authorizationMode: ['Webhook'] }, /config file not passed/],
  ['whom to ask without a mode', { authorizationWebhookConfigFile: '/none' }, /--authorization-mode has no Webhook/],
  [
    'whom to ask, and modes that ask nobody',
    { authorizationMode: ['Node', 'RBAC'], authorizationWebhookConfigFile: '/none' },
    /cannot specify --authorization-webhook-config-file without mode Webhook/,
  ],
  [
    'a file beside modes',
    { authorizationConfig: '/none', authorizationMode: ['RBAC'] },
    /cannot be used together with --authorization-mode/,
  ],
];
for (const [name, flags, says] of REFUSED) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(
      authorizationChoice(flags),
      (error) => error instanceof UsageError && says.test(error.message),
    );
  });
}
