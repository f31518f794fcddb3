import assert from 'node:assert/strict';
import test from 'node:test';
import { startTestServer } from '../testing/test-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ROWS: readonly [what: string, query: string, agent: string, manager: string | undefined][] = [
  ['a program with its version', '', 'kubectl/v1.36.0 (linux/amd64)', 'kubectl'],
  ['all signs of ASCII that are printed', '', `a b~!"#$%&'()*+,-.:;<=>?@[]^_{|}/1`, `a b~!"#$%&'()*+,-.:;<=>?@[]^_{|}`],
  ['letters of others, and what nobody prints', '', 'müller\u0007\u200d\tx/1', 'müllerx'],
  ['a long one', '', `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
  ['a name that the caller gives', '?fieldManager=me', 'kubectl/v1.36.0', 'me'],
];
for (const [i, [what, query, agent, manager]] of ROWS.entries()) {
  test(`who owns what is made: ${what}`, async () => {
    const { ask } = await startTestServer();
    const object = { metadata: { name: `m${i}` }, data: { a: 'b' } };
    const { code, body } = await ask(`POST ${MAPS}${query}`, object, { 'user-agent': agent });
    assert.equal(code, 201);
    assert.equal(body.metadata.managedFields?.[0]?.manager, manager);
  });
}
